// Keeps a page up to date, sends forms in place and tells times. Pages can be read and used without it.
"use strict";
(() => {
  const $ = (selector, within = document) => [...within.querySelectorAll(selector)];

  // --- Times, as people say them.
  const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
  const rough = (ms) =>
    ms < minute ? `${Math.floor(ms / second)} s` : ms < hour ? `${Math.floor(ms / minute)} min`
    : ms < day ? `${Math.floor(ms / hour)} h` : ms < 2 * day ? "1 day" : `${Math.floor(ms / day)} days`;
  const left = (ms) => {
    const pair = (large, one, small, two) => (small ? `${large} ${one} ${small} ${two}` : `${large} ${one}`);
    const whole = Math.floor(ms / second);
    return ms < minute ? `${whole} s` : ms < hour ? pair(Math.floor(whole / 60), "min", whole % 60, "s")
      : ms < day ? pair(Math.floor(ms / hour), "h", Math.floor((ms % hour) / minute), "min")
      : pair(Math.floor(ms / day), "d", Math.floor((ms % day) / hour), "h");
  };
  const tell = () => {
    for (const time of $("time[data-ago]")) {
      const away = Date.now() - Date.parse(time.dateTime), length = Math.abs(away);
      if (length > 30 * day) continue;
      const words = length < second ? "just now" : away >= 0 ? `${rough(length)} ago` : `in ${rough(length)}`;
      if (time.textContent !== words) time.textContent = words;
    }
    for (const time of $("time[data-until]")) {
      const away = Date.parse(time.dateTime) - Date.now();
      const words = away > 0 ? `${left(away)} left` : "due";
      if (time.textContent !== words) time.textContent = words;
      time.classList.toggle("close", away < minute);
    }
  };

  // --- On a phone the menu is longer than the window: where somebody is stands in the middle of it.
  const showPlace = () => {
    const menu = document.getElementById("menu"), here = menu?.querySelector("[aria-current]");
    if (here) menu.scrollLeft = here.offsetLeft - menu.offsetLeft - (menu.clientWidth - here.offsetWidth) / 2;
  };

  // --- Parts of the page are replaced by fresh ones. What somebody types into stays; what they opened stays open.
  const busy = (part) => {
    const here = document.activeElement;
    const typing = here && part.contains(here) && here.matches("input:not([type=hidden]),textarea,select");
    const typed = $("input:not([type=hidden]),textarea", part).some((field) => field.value !== field.defaultValue)
      || $("select", part).some((field) => [...field.options].some((option) => option.selected !== option.defaultSelected));
    return typing || typed;
  };
  const keyOf = (element) => element.dataset.key;
  const partOf = (page, name) => page.querySelector(`[data-part="${CSS.escape(name)}"]`);
  // A part that the page did not have stands beside the same neighbour as on the fresh one.
  const twin = (other) => {
    const named = other.matches("[data-part]") ? other : other.querySelector("[data-part]");
    let here = named && partOf(document, named.dataset.part);
    for (let up = named; here && up !== other; up = up.parentElement) here = here.parentElement;
    return here;
  };
  const add = (fresh) => {
    const added = new Set();
    for (const part of $("main [data-part]", fresh)) {
      if (partOf(document, part.dataset.part) || part.parentElement.closest("[data-part]")) continue;
      const beside = (way) => {
        let other = part[way];
        while (other && !twin(other)) other = other[way];
        return other && twin(other);
      };
      const before = beside("previousElementSibling"), after = before ? null : beside("nextElementSibling");
      const copy = document.importNode(part, true);
      if (before) before.after(copy); else if (after) after.before(copy); else continue;
      copy.classList.add("fresh");
      added.add(part.dataset.part);
    }
    return added;
  };
  const swap = (fresh) => {
    const added = add(fresh);
    for (const part of $("[data-part]")) {
      const next = partOf(fresh, part.dataset.part);
      if (added.has(part.dataset.part) || busy(part)) continue;
      // Parts within parts are looked at with the outer one.
      if (part.parentElement?.closest("[data-part]")) continue;
      if (!next) { part.remove(); continue; }
      const known = new Set($("[data-key]", part).concat(part.dataset.key ? [part] : []).map(keyOf));
      const open = new Set($("details[open][id]", part).map((details) => details.id));
      const scrolled = $("[data-scroll]", part).map((element) => [element.dataset.scroll, element.scrollTop]);
      const looked = $(".picture", part).map((picture) => [picture.scrollLeft, picture.scrollTop]);
      const focus = part.contains(document.activeElement) ? document.activeElement.id : "";
      if (part.dataset.was === undefined) part.dataset.was = part.innerHTML;
      if (part.dataset.was === next.innerHTML && part.className === next.className && part.dataset.key === next.dataset.key) continue;
      const was = next.innerHTML;
      part.replaceWith(next);
      for (const details of $("details[id]", next)) if (open.has(details.id)) details.open = true;
      for (const [name, top] of scrolled) {
        const element = next.querySelector(`[data-scroll="${CSS.escape(name)}"]`);
        if (element) element.scrollTop = top;
      }
      $(".picture", next).forEach((picture, at) => { if (looked[at]) [picture.scrollLeft, picture.scrollTop] = looked[at]; });
      for (const element of $("[data-key]", next).concat(next.dataset.key ? [next] : [])) {
        if (!known.has(keyOf(element))) element.classList.add("fresh");
      }
      next.dataset.was = was;
      if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
    }
    tell();
    showPlace();
  };

  let asking = false, again = false, last = 0, timer = 0;
  const pause = 700;
  const refresh = async () => {
    timer = 0;
    if (asking) { again = true; return; }
    asking = true;
    last = Date.now();
    try {
      const answer = await fetch(location.pathname + location.search.replace(/([?&])done=[^&]*&?/, "$1"), { credentials: "same-origin", redirect: "follow" });
      if (answer.redirected && new URL(answer.url).pathname === "/sign-in") { location.assign(answer.url); return; }
      if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch { again = true; } finally {
      asking = false;
      if (again) { again = false; soon(); }
    }
  };
  // At once when it was quiet, else soon: under load a page is asked for about once in a second.
  const soon = () => {
    if (timer) return;
    timer = setTimeout(refresh, Math.max(30, pause - (Date.now() - last)));
  };

  // --- Live: the page listens from where it was made. When the line is lost, the browser comes back with the last id.
  const listen = () => {
    const url = document.body.dataset.live, sign = document.getElementById("live");
    if (!url || !window.EventSource) return;
    let source, lastId = "", retry = 0;
    const say = (word, state) => {
      if (!sign) return;
      sign.textContent = word;
      sign.className = `live ${state}`;
    };
    const begin = () => {
      const from = lastId ? url.replace(/after=\d+/, `after=${lastId}`) : url;
      source = new EventSource(from);
      const heard = (event) => { if (event.lastEventId) lastId = event.lastEventId; };
      source.addEventListener("hello", (event) => { heard(event); if (retry) soon(); retry = 0; say("live", ""); });
      source.addEventListener("beat", heard);
      source.onmessage = (event) => { heard(event); soon(); };
      source.onerror = () => {
        say("connection lost, trying again", "away");
        // A browser gives up when the server refuses; it may be starting, or the sign-in is over.
        if (source.readyState === EventSource.CLOSED) {
          retry += 1;
          setTimeout(begin, Math.min(10_000, 500 * 2 ** Math.min(retry, 5)));
          if (retry > 1) soon();
        } else { retry = Math.max(retry, 1); }
      };
    };
    begin();
    addEventListener("pagehide", () => source.close());
    addEventListener("pageshow", (event) => { if (event.persisted) { begin(); soon(); } });
  };

  // --- Forms are sent in place: a refusal shows beside the form, and nothing that was typed is lost.
  addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("form[data-send]")) return;
    event.preventDefault();
    const button = event.submitter, data = new FormData(form, button);
    $(".problem", form).forEach((old) => old.remove());
    $("button", form).forEach((each) => { each.disabled = true; });
    try {
      const action = (button && button.getAttribute("formaction")) || form.getAttribute("action");
      const answer = await fetch(action, { method: "POST", body: new URLSearchParams(data), credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (answer.ok) { location.assign(answer.url); if (new URL(answer.url).href.split("#")[0] === location.href.split("#")[0]) location.reload(); return; }
      const problem = page.querySelector(".problem");
      if (problem) { form.append(problem); problem.scrollIntoView({ block: "nearest" }); }
    } catch {
      const problem = document.createElement("p");
      problem.className = "problem";
      problem.setAttribute("role", "alert");
      problem.textContent = "The server cannot be reached. Nothing was sent; try again.";
      form.append(problem);
    }
    $("button", form).forEach((each) => { each.disabled = false; });
  });

  // --- Keys: j and k move through a list; the letters that buttons show press them, within what is chosen.
  const chosen = () => document.querySelector("[data-item].chosen");
  const choose = (item) => {
    if (!item) return;
    chosen()?.classList.remove("chosen");
    item.classList.add("chosen");
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = event.target;
    if (here.matches("input,textarea,select")) {
      if (event.key === "Escape") here.blur();
      return;
    }
    const items = $("[data-item]");
    const at = items.indexOf(chosen());
    if (event.key === "j") choose(items[Math.min(items.length - 1, at + 1)]);
    else if (event.key === "k") choose(items[Math.max(0, at - 1)]);
    else {
      const within = chosen() || (items.length === 1 ? items[0] : null) || (items.length ? null : document);
      const target = within && within.querySelector(`[data-press="${CSS.escape(event.key)}"]`);
      if (!target) return;
      event.preventDefault();
      const fold = target.closest("details");
      if (fold && !fold.open) fold.open = true;
      if (target.matches("summary")) {
        target.parentElement.open = true;
        target.parentElement.querySelector("input:not([type=hidden]),textarea,select")?.focus();
      } else if (target.matches("button,a")) target.click();
      else target.focus();
      return;
    }
    if (items.length) event.preventDefault();
  });
  // What a page begins with is chosen at once.
  choose(document.querySelector("[data-item][autofocus]"));
  // What is being decided stays chosen when the list is made anew.
  addEventListener("focusin", (event) => {
    const item = event.target.closest?.("[data-item]");
    if (item && item !== chosen()) { chosen()?.classList.remove("chosen"); item.classList.add("chosen"); }
  });

  // A notice is said once: the address is for sharing.
  if (/[?&]done=/.test(location.search)) {
    const rest = location.search.slice(1).split("&").filter((pair) => pair && !pair.startsWith("done="));
    history.replaceState(null, "", location.pathname + (rest.length ? `?${rest.join("&")}` : "") + location.hash);
  }
  // Printing shows everything.
  addEventListener("beforeprint", () => $("main details").forEach((details) => { details.dataset.open = details.open ? "1" : ""; details.open = true; }));
  addEventListener("afterprint", () => $("main details").forEach((details) => { details.open = details.dataset.open === "1"; }));

  // What goes on without an event is looked at once in a second, until it is over.
  setInterval(() => { if (document.querySelector("[data-again]")) soon(); }, 1000);
  setInterval(tell, 1000);
  tell();
  showPlace();
  // A drawing that is wider than the window is looked at from its middle.
  for (const picture of $(".picture")) picture.scrollLeft = (picture.scrollWidth - picture.clientWidth) / 2;
  listen();
})();
