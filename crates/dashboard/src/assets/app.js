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
    // In a conversation a day is said once, and not at all while it is today.
    let list = null, before = null;
    for (const time of $("time[data-clock]")) {
      const at = new Date(time.dateTime), own = time.closest("ol");
      if (own !== list) [list, before] = [own, new Date()];
      const date = at.toDateString() === before.toDateString() ? "" : `${at.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" })}, `;
      const words = date + at.toLocaleTimeString([], { hour12: false });
      before = at;
      if (time.textContent !== words) time.textContent = words;
    }
    const hours = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
    for (const time of $("time[data-hour]")) if (time.textContent !== hours(time.dateTime)) time.textContent = hours(time.dateTime);
    for (const title of $("[data-at] > title")) {
      if (/^\d\d:\d\d UTC/.test(title.textContent)) title.textContent = hours(title.parentNode.dataset.at) + title.textContent.slice(9);
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

  // --- A drawing that does not fit says that it can be moved.
  const measure = () => { for (const picture of $(".picture,.lanes")) picture.classList.toggle("wide", picture.scrollWidth > picture.clientWidth + 1); };

  // --- A fresh page is woven into the one that is open: what is the same stays in its place, with what somebody typed,
  // opened, chose or scrolled to; what is new shows for a moment.
  const field = "input:not([type=hidden]),textarea,select";
  const touched = (each) => each.matches("select")
    ? each.selectedIndex !== Math.max(0, [...each.options].findIndex((option) => option.defaultSelected))
    : each.matches("[type=checkbox],[type=radio]") ? each.checked !== each.defaultChecked : each.value !== each.defaultValue;
  const busy = (part) => {
    const here = document.activeElement;
    return (here && here.matches(field) && part.contains(here)) || $(field, part).some(touched);
  };
  const nameOf = (node) => node.nodeType !== 1 ? ""
    : node.dataset.part || node.dataset.key || node.id || (node.nodeName === "FORM" ? node.getAttribute("action") : "") || "";
  const same = (one, two) => one.nodeName === two.nodeName && nameOf(one) === nameOf(two);
  const ours = ["fresh", "chosen", "gone", "wide"];
  const dress = (old, next) => {
    for (const { name } of [...old.attributes]) {
      if (!next.hasAttribute(name) && !(name === "open" && old.nodeName === "DETAILS") && name !== "class") old.removeAttribute(name);
    }
    for (const { name, value } of next.attributes) {
      if (name !== "class" && !(name === "open" && old.nodeName === "DETAILS") && old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    const kept = ours.filter((name) => name !== "gone" && old.classList.contains(name));
    const worn = [next.getAttribute("class") || "", ...kept].join(" ").trim();
    if ((old.getAttribute("class") || "") !== worn) worn ? old.setAttribute("class", worn) : old.removeAttribute("class");
  };
  const light = (element) => {
    if (element.nodeType !== 1) return;
    for (const each of [element, ...$("[data-key]", element)]) {
      if (!each.dataset.key && !each.dataset.part) continue;
      // Taken off and looked at, so that it begins anew.
      each.classList.remove("fresh");
      void each.getBoundingClientRect();
      each.classList.add("fresh");
    }
  };
  const weave = (old, next) => {
    if (old.nodeType !== 1) { if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue; return; }
    // What is being typed into or sent stays as it is, with what it was about.
    if (old.nodeName === "FORM" && (old.dataset.sending || old.querySelector(".problem") || busy(old))) { late = true; return; }
    if (old.nodeName === "TIME" && old.dateTime === next.dateTime) return;
    // The same step of the same thing is no news; another one is.
    const news = old.dataset.key !== next.dataset.key;
    dress(old, next);
    if (news) light(old);
    // What is over goes first, so that what stays need not move: a field that moves loses its focus.
    const wanted = new Set([...next.childNodes].map(nameOf));
    for (const child of [...old.childNodes]) {
      if (!nameOf(child) || wanted.has(nameOf(child))) continue;
      // Somebody types into what is over: they see that, and lose nothing.
      if (busy(child)) { child.classList.add("gone"); late = true; } else child.remove();
    }
    const here = document.activeElement;
    let at = old.firstChild;
    for (const want of [...next.childNodes]) {
      while (at && at.nodeType === 1 && at.classList.contains("gone")) at = at.nextSibling;
      let found = at;
      if (nameOf(want)) while (found && !same(found, want)) found = found.nextSibling;
      else if (found && !same(found, want)) found = null;
      if (!found) {
        const copy = document.importNode(want, true);
        old.insertBefore(copy, at);
        light(copy);
        continue;
      }
      if (found === at) at = at.nextSibling;
      // Others move around what has the focus.
      else if (found.contains(here)) while (at !== found) { const other = at; at = at.nextSibling; old.insertBefore(other, found.nextSibling); }
      else old.insertBefore(found, at);
      if (found === at) at = at.nextSibling;
      weave(found, want);
    }
    while (at) {
      const rest = at;
      at = at.nextSibling;
      if (!(rest.nodeType === 1 && rest.classList.contains("gone"))) rest.remove();
    }
  };
  // What could not be brought up to date because somebody typed is looked at again when they leave it.
  let late = false, woven = 0, begun = Date.now();
  const swap = (fresh) => {
    late = false;
    const items = $("[data-item]").map(nameOf).join(" ");
    for (const selector of ["#menu", "main"]) {
      const old = document.querySelector(selector), next = fresh.querySelector(selector);
      if (!old || !next) continue;
      // What was said about what somebody did stays for a moment, or until they do the next thing.
      const said = [...old.children].filter((each) => each.matches(".notice,.problem") && Date.now() - begun < 8000);
      if (!next.querySelector(":scope > .notice")) next.prepend(...said.map((each) => document.importNode(each, true)));
      weave(old, next);
    }
    if ($("[data-item]").map(nameOf).join(" ") !== items) woven = Date.now();
    tell();
    showPlace();
    measure();
  };
  addEventListener("focusout", () => { if (late) soon(); });

  // A notice is said once, and where one goes on after it is no place: the address is for sharing.
  const quiet = (search) => {
    const rest = search.slice(1).split("&").filter((pair) => pair && !/^(done|next)=/.test(pair));
    return rest.length ? `?${rest.join("&")}` : "";
  };

  let asking = false, again = false, last = 0, timer = 0, missed = 0;
  const pause = 700;
  const refresh = async () => {
    timer = 0;
    if (asking) { again = true; return; }
    asking = true;
    last = Date.now();
    try {
      const answer = await fetch(location.pathname + quiet(location.search), { credentials: "same-origin", redirect: "follow" });
      if (answer.redirected && new URL(answer.url).pathname === "/sign-in") {
        if (!busy(document.body)) { location.assign(answer.url); return; }
      } else if (answer.redirected && new URL(answer.url).pathname !== location.pathname) {
        location.assign(answer.url);
        return;
      } else if (answer.ok) {
        swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
        missed = 0;
      } else { missed += 1; again = true; }
    } catch { missed += 1; again = true; } finally {
      asking = false;
      document.getElementById("live")?.classList.toggle("late", missed > 1);
      if (again) { again = false; soon(Math.min(15_000, 500 * 2 ** Math.min(missed, 5))); }
    }
  };
  // At once when it was quiet, else soon: under load a page is asked for about once in a second.
  const soon = (wait = 0) => {
    if (timer) return;
    timer = setTimeout(refresh, Math.max(30, wait, pause - (Date.now() - last)));
  };

  // Some things change without an event: what is late, the end of a chart.
  setInterval(() => { if (document.body.dataset.live && !document.hidden) soon(); }, 45_000);

  // --- Live: the page listens from where it was made. When the line is lost, it comes back with the last id. A page that
  // nobody looks at does not listen: browsers have few lines to one host.
  const listen = () => {
    const url = document.body.dataset.live, sign = document.getElementById("live");
    if (!url || !window.EventSource) return;
    let source = null, lastId = "", retry = 0, coming = 0, word = 0;
    const say = (words, state) => {
      if (!sign) return;
      sign.textContent = words;
      sign.className = `live ${state}`;
    };
    const begin = () => {
      coming = 0;
      if (source || document.hidden) return;
      const from = lastId ? url.replace(/after=\d+/, `after=${lastId}`) : url;
      const line = source = new EventSource(from);
      word = Date.now();
      const heard = (event) => { word = Date.now(); if (event.lastEventId) lastId = event.lastEventId; };
      line.addEventListener("hello", (event) => { heard(event); if (retry) soon(); retry = 0; say("live", ""); });
      line.addEventListener("beat", heard);
      line.addEventListener("again", (event) => { heard(event); soon(); });
      line.onmessage = (event) => { heard(event); soon(); };
      line.onerror = () => {
        if (line !== source) return;
        say("connection lost, trying again", "away");
        retry += 1;
        // A browser gives up when the server refuses; it may be starting, or the sign-in is over.
        if (line.readyState !== EventSource.CLOSED) return;
        end();
        coming = setTimeout(begin, Math.min(10_000, 500 * 2 ** Math.min(retry, 5)));
        if (retry > 1) soon();
      };
    };
    const end = () => {
      clearTimeout(coming);
      source?.close();
      source = null;
    };
    // After a sleep or in another network a line can be dead and look open for minutes. The server says a word at each beat:
    // where two are missed, nobody speaks any more.
    const look = () => {
      if (!source || Date.now() - word < 2 * document.body.dataset.beat) return;
      say("connection lost, trying again", "away");
      retry += 1;
      end();
      begin();
    };
    const back = () => { look(); begin(); soon(); };
    begin();
    setInterval(look, 1000);
    addEventListener("online", () => { end(); back(); });
    addEventListener("pagehide", end);
    addEventListener("pageshow", (event) => { if (event.persisted) back(); });
    document.addEventListener("visibilitychange", () => { if (document.hidden) end(); else back(); });
  };

  // --- Forms are sent in place: a refusal shows beside the form, and nothing that was typed is lost.
  const refused = (form, problem) => {
    problem.setAttribute("role", "alert");
    if (form.isConnected) form.append(problem);
    else document.querySelector("main").prepend(problem);
    problem.scrollIntoView({ block: "nearest" });
  };
  const words = (text, link) => {
    const problem = document.createElement("p");
    problem.className = "problem";
    problem.textContent = text;
    if (link) {
      const way = document.createElement("a");
      [way.href, way.target, way.textContent] = [link, "_blank", "Sign in"];
      problem.append(" ", way);
    }
    return problem;
  };
  // Each form has a key: the same form that arrives twice is carried out once. A form that got its answer has done its part.
  const renew = (form) => {
    const key = form.querySelector("input[name=once]");
    if (key) key.value = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const detail = (text) => { try { return JSON.parse(text).detail; } catch { return ""; } };
  addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("form[data-send]")) return;
    event.preventDefault();
    if (form.dataset.sending) return;
    const button = event.submitter, data = new FormData(form, button);
    $(".problem", form).concat($("main > .problem")).forEach((old) => old.remove());
    form.dataset.sending = "yes";
    $("button", form).forEach((each) => { each.disabled = true; });
    try {
      const action = (button && button.getAttribute("formaction")) || form.getAttribute("action");
      const answer = await fetch(action, { method: "POST", body: new URLSearchParams(data), credentials: "same-origin" });
      const to = new URL(answer.url);
      if (answer.status < 500) renew(form);
      if (answer.redirected && to.pathname === "/sign-in" && action !== "/sign-out") {
        refused(form, words("Your sign-in is over. Nothing was sent; sign in and load the page again.", "/sign-in"));
      } else if (answer.ok && to.pathname === location.pathname) {
        // The same page: it is woven in, with what it says, and nothing else that was typed is lost.
        form.reset();
        delete form.dataset.sending;
        document.activeElement?.blur();
        begun = Date.now();
        const text = await answer.text();
        // The page that is shown is the one that is looked at again and shared from here on.
        history.replaceState(null, "", to.pathname + quiet(to.search) + location.hash);
        swap(new DOMParser().parseFromString(text, "text/html"));
        const next = document.querySelector("[data-item][autofocus]");
        if (next) choose(next);
      } else if (answer.ok) {
        // Whoever comes back to this page finds the form as it was before.
        release(form);
        location.assign(answer.url);
        return;
      } else {
        const text = await answer.text();
        const page = new DOMParser().parseFromString(text, "text/html");
        refused(form, page.querySelector(".problem") || words(detail(text) || `The server answered ${answer.status}. Sending it again does it once.`));
      }
    } catch {
      refused(form, words("No answer came. Sending it again does it once."));
    }
    release(form);
  });
  const release = (form) => {
    delete form.dataset.sending;
    $("button", form).forEach((each) => { each.disabled = false; });
  };
  addEventListener("pageshow", (event) => { if (event.persisted) $("form[data-sending]").forEach(release); });

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
    if (document.body.dataset.keys === "off") return;
    const items = $("[data-item]");
    const at = items.indexOf(chosen());
    if (event.key === "j") choose(items[Math.min(items.length - 1, at + 1)]);
    else if (event.key === "k") choose(items[Math.max(0, at - 1)]);
    else {
      // Only what has the focus is decided by a letter.
      const within = items.length ? [chosen()].find((item) => item && item.contains(document.activeElement)) : document;
      const target = within && within.querySelector(`[data-press="${CSS.escape(event.key)}"]`);
      if (!target) return;
      event.preventDefault();
      // A key that is held down, or pressed while the list changes under it, was not meant for what is there now.
      if (event.repeat || Date.now() - woven < 500) return;
      const fold = target.closest("details");
      if (fold && !fold.open) fold.open = true;
      if (target.matches("summary")) {
        target.parentElement.open = true;
        const own = target.parentElement;
        (own.querySelector("[data-first]") || own.querySelector(field))?.focus();
      } else if (target.matches("button,a")) target.click();
      else target.focus();
      return;
    }
    if (items.length) event.preventDefault();
  });
  // Whoever speaks to their machine, or whose hands slip, turns the letters off; the browser remembers it.
  const remembered = (set) => {
    try {
      if (set) localStorage.setItem("keys", set);
      return localStorage.getItem("keys");
    } catch { return set; }
  };
  document.body.dataset.keys = remembered() === "off" ? "off" : "on";
  addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-switch=keys]")) return;
    document.body.dataset.keys = document.body.dataset.keys === "off" ? "on" : "off";
    remembered(document.body.dataset.keys);
  });
  addEventListener("animationend", (event) => { if (event.animationName === "fresh") event.target.classList.remove("fresh"); });
  // What a page begins with is chosen at once.
  choose(document.querySelector("[data-item][autofocus]"));
  // What is being decided stays chosen when the list is made anew.
  addEventListener("focusin", (event) => {
    const item = event.target.closest?.("[data-item]");
    if (item && item !== chosen()) { chosen()?.classList.remove("chosen"); item.classList.add("chosen"); }
  });

  if (/[?&]done=/.test(location.search)) {
    history.replaceState(null, "", location.pathname + quiet(location.search) + location.hash);
    woven = Date.now();
  }
  // Printing shows everything.
  addEventListener("beforeprint", () => $("main details").forEach((details) => { details.dataset.open = details.open ? "1" : ""; details.open = true; }));
  addEventListener("afterprint", () => $("main details").forEach((details) => { details.open = details.dataset.open === "1"; }));

  // What goes on without an event is looked at once in a second, until it is over.
  setInterval(() => { if (document.querySelector("[data-again]")) soon(); }, 1000);
  setInterval(tell, 1000);
  tell();
  showPlace();
  measure();
  // A drawing that is wider than the window is looked at from its first box.
  for (const picture of $(".picture.wide")) {
    const first = picture.querySelector(".hg-box")?.getBoundingClientRect(), frame = picture.getBoundingClientRect();
    if (first) picture.scrollLeft += first.left + first.width / 2 - frame.left - frame.width / 2;
  }
  // Of a timeline the latest is looked at.
  for (const lanes of $(".lanes.wide")) lanes.scrollLeft = lanes.scrollWidth;
  addEventListener("resize", measure);
  // Behind the sign-in is the place that somebody wanted, with what stands after the #: the server never hears of that.
  const next = document.querySelector(".door input[name=next]");
  if (next && location.hash && !next.value.includes("#")) next.value += location.hash;
  listen();
})();
