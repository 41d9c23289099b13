// What a browser adds to the pages; each of them works without it.
"use strict";

(() => {
  const hits = () => [...document.querySelectorAll("a.open")];
  const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

  const step = (by) => {
    const all = hits();
    if (all.length === 0) return;
    const at = all.indexOf(document.activeElement);
    const next = all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
    next.focus();
    next.closest(".hit").scrollIntoView({ block: "nearest" });
  };

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    o: () => { if (document.activeElement.matches("a.open")) document.activeElement.click(); },
    "/": () => { const field = document.getElementById("q"); if (field) { field.focus(); field.select(); } },
    "?": () => document.getElementById("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !(event.target instanceof Element)) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (document.querySelector("dialog[open]")) return;
    const action = keys[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });

  document.addEventListener("click", async (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
    if (button === null) return;
    const parts = button.dataset.copy.split(" ").map((id) => document.getElementById(id).textContent.trim());
    await navigator.clipboard.writeText(parts.join("\n"));
    button.textContent = "Copied";
  });

  // A link to a footnote opens it in place.
  const openTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const note = target && target.querySelector("details");
    if (note) note.open = true;
  };
  addEventListener("hashchange", openTarget);
  addEventListener("DOMContentLoaded", openTarget);

  // An address holds what was asked, and no empty fields.
  document.addEventListener("htmx:configRequest", (event) => {
    for (const [name, value] of [...event.detail.formData.entries()]) {
      if (value === "") event.detail.formData.delete(name);
    }
  });

  // What was unfolded stays so when the list is drawn again.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const open = [...event.detail.target.querySelectorAll("details[id][open]")].map((each) => each.id);
    document.addEventListener("htmx:afterSwap", () => {
      for (const id of open) {
        const again = document.getElementById(id);
        if (again) again.open = true;
      }
    }, { once: true });
  });

  // What is live is asked for again when the server says that it changed, or every few seconds where no stream passes.
  if (document.querySelector("#live[data-stream]")) {
    const again = () => { const live = document.getElementById("live"); if (live) htmx.trigger(live, "changed"); };
    let heard = false;
    const stream = new EventSource("/stream");
    stream.addEventListener("open", () => { heard = true; });
    stream.addEventListener("error", () => { heard = false; });
    stream.addEventListener("message", again);
    setInterval(() => { if (!heard && !document.hidden) again(); }, 3000);
  }

  // A page that ended its session is shown whole, so that it can say so.
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status === 401) location.reload();
  });

  document.documentElement.classList.add("scripted");
})();
