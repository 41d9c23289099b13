// The page of an app in a host: it shows the fragment that comes with each result of its tool.
// The protocol between both is MCP Apps 2026-01-26: JSON-RPC messages, of which an app needs these few.
"use strict";

(() => {
  const host = window.parent;
  const main = document.getElementById("main");
  const waiting = new Map();
  let last = 0;
  let mayCall = false;

  // A frame without an address does not know that of its host; what it sends holds no document.
  const send = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");

  const ask = (method, params) => new Promise((done, failed) => {
    last += 1;
    waiting.set(last, { done, failed });
    send({ id: last, method, params });
  });

  const written = (result) => {
    const text = document.createElement("pre");
    const blocks = (result.content ?? []).filter((block) => block.type === "text");
    text.textContent = blocks.map((block) => block.text).join("\n");
    return [text];
  };

  const show = (result) => {
    const html = result._meta?.["citemark/fragment"];
    const parsed = html && new DOMParser().parseFromString(html, "text/html");
    main.replaceChildren(...(parsed ? parsed.body.childNodes : written(result)));
    for (const button of main.querySelectorAll("button[data-call]")) button.disabled = !mayCall;
    document.getElementById("cited")?.scrollIntoView({ block: "nearest" });
  };

  const themed = (context) => {
    if (context?.theme) document.documentElement.style.colorScheme = context.theme;
  };

  const told = {
    "ui/notifications/tool-result": show,
    "ui/notifications/host-context-changed": themed,
  };

  window.addEventListener("message", ({ source, data }) => {
    if (source !== host || data?.jsonrpc !== "2.0") return;
    if (data.method === undefined) {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) asked?.failed(new Error(data.error.message));
      else asked?.done(data.result);
    } else if (data.id === undefined) {
      told[data.method]?.(data.params);
    } else if (data.method === "ping" || data.method === "ui/resource-teardown") {
      send({ id: data.id, result: {} });
    } else {
      send({ id: data.id, error: { code: -32601, message: "Method not found" } });
    }
  });

  document.addEventListener("click", async (event) => {
    const chosen = event.target instanceof Element ? event.target.closest("a[href], button[data-call]") : null;
    if (chosen?.matches("a[href^='#']") ?? true) return;
    event.preventDefault();
    try {
      if (chosen.matches("a")) {
        await ask("ui/open-link", { url: chosen.href });
      } else {
        const asked = { name: chosen.dataset.call, arguments: { node_ids: [chosen.dataset.node] } };
        show(await ask("tools/call", asked));
      }
    } catch {
      chosen.classList.add("refused");  // the host refused; what is shown stays
    }
  });

  new ResizeObserver(() => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement;
    send({ method: "ui/notifications/size-changed", params: { width, height } });
  }).observe(main);

  ask("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "citemark", version: document.documentElement.dataset.version },
    appCapabilities: {},
  }).then((answer) => {
    mayCall = Boolean(answer.hostCapabilities?.serverTools);
    themed(answer.hostContext);
    send({ method: "ui/notifications/initialized", params: {} });
  });
})();
