// Shows what a model writes while it writes; the checked answer takes its place. Without this, the page waits for it.
"use strict";

addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("ask-for");
  const answer = document.getElementById("answer");
  let source = null;

  const told = (words) => {
    const note = document.createElement("p");
    note.className = "told";
    note.textContent = words;
    return note;
  };
  const leave = () => {
    source?.close();
    source = null;
    answer.removeAttribute("aria-busy");
  };

  form.addEventListener("submit", (event) => {
    const given = new URLSearchParams(new FormData(form));
    if (!given.get("q").trim()) return;
    event.preventDefault();
    leave();
    const address = `/ask?${given}`;
    const waiting = told("Looking for passages that answer.");
    const written = document.createElement("div");
    written.className = "answer unchecked";
    written.dir = "auto";
    history.pushState(null, "", address);
    document.title = `${given.get("q")} · Citemark`;
    answer.setAttribute("aria-busy", "true");
    answer.replaceChildren(waiting, written);

    source = new EventSource(`/ask.events?${given}`);
    source.addEventListener("words", ({ data }) => {
      waiting.textContent = "A model is writing. None of this has been checked against the documents yet.";
      written.textContent = JSON.parse(data);
    });
    source.addEventListener("answer", ({ data }) => {
      leave();
      answer.innerHTML = JSON.parse(data);
    });
    // The page itself says what is wrong, and works where no stream passes.
    const whole = () => { leave(); location.replace(address); };
    source.addEventListener("failed", whole);
    source.addEventListener("error", whole);
  });
  addEventListener("popstate", () => location.reload());
  addEventListener("pagehide", leave);
});
