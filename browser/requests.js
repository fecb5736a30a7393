"use strict";
// The requests of a warp, one after the other, and the source that they come from: what figures show of a kernel.
window.requests = (() => {
  const { make, button, status, grouped, plural } = window.editing;

  // One request after the other: lanes, and what they touch. Points at a lane or a sector by mouse or keyboard.
  class Requests {
    constructor(code) {
      this.code = code;
      this.back = button("◀ Before");
      this.next = button("Next ▶");
      this.where = status("request");
      this.lanes = make("div", { class: "lanes", role: "group", tabindex: "0",
        "aria-label": "The 32 lanes of the warp; arrow keys go from one to the next" });
      this.memory = make("div", { class: "memory", role: "group", tabindex: "0", "aria-label": "What they touch" });
      this.pointed = status("pointed");
      this.element = make("div", {}, make("div", { class: "steps" }, this.back, this.next, this.where),
        this.lanes, this.memory, this.pointed);
      this.back.addEventListener("click", () => this.show(this.at - 1));
      this.next.addEventListener("click", () => this.show(this.at + 1));
      this.lanes.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        this.point(((this.lane ?? (step > 0 ? -1 : 32)) + step + 32) % 32);
      });
      this.lanes.addEventListener("pointerover", (event) => {
        const lane = event.target.dataset?.lane;
        if (lane !== undefined) this.point(Number(lane));
      });
      this.memory.addEventListener("pointerover", (event) => {
        const place = event.target.closest("[data-place]");
        if (place) this.pointPlace(place);
      });
      for (const part of [this.lanes, this.memory]) part.addEventListener("pointerleave", () => this.point(null));
      this.lanes.addEventListener("blur", () => this.point(null));
    }

    set(requests, first) {
      const same = this.requests && requests.length === this.requests.length;
      this.requests = requests;
      const wanted = first ? requests.findIndex((r) => `${r.space} ${r.access}` === first) : 0;
      this.show(same ? this.at : Math.max(0, wanted));
    }

    show(at) {
      this.at = Math.max(0, Math.min(at, this.requests.length - 1));
      const request = this.requests[this.at];
      this.back.disabled = this.at === 0;
      this.next.disabled = this.at === this.requests.length - 1;
      this.lane = null;
      if (!request) {
        this.where.textContent = "The first warp makes no request.";
        this.lanes.replaceChildren();
        this.memory.replaceChildren();
        return;
      }
      this.code?.mark(request.line);
      const asked = request.offsets.filter((offset) => offset !== null).length;
      const line = request.line ? `, line ${request.line}` : "";
      const where = request.space === "shared" ? "shared memory" : request.array ?? `allocation ${request.allocation}`;
      const what = `Request ${this.at + 1} of ${this.requests.length}: a ${request.access} of ${where}${line}. `;
      this.where.textContent = what + (request.space === "shared" ? this.waves(request, asked) : this.moved(request, asked));
      this.lanes.replaceChildren(...request.offsets.map((offset, lane) => make("span",
        { "data-lane": lane, class: offset === null ? "idle" : "takes" }, String(lane))));
      this.memory.className = `memory ${request.space}`;
      this.memory.replaceChildren(...(request.space === "shared" ? this.banks(request) : this.sectors(request)));
      this.point(null);
    }

    moved(request, lanes) {
      const bytes = new Set();
      for (const offset of request.offsets) {
        for (let byte = 0; offset !== null && byte < request.bytes; ++byte) bytes.add(offset + byte);
      }
      const moved = 32 * request.sectors.length, asked = lanes * request.bytes;
      return `${plural(lanes, "lane")} ask${lanes === 1 ? "s" : ""} for ${plural(asked, "byte")}; ${plural(request.sectors.length, "sector")}`
        + ` = ${grouped(moved)} bytes move: ${Math.round(100 * bytes.size / moved)} % of them are used.`;
    }

    waves(request, lanes) {
      const words = request.wavefronts.flat().filter((lane) => lane !== null).length;
      return `${plural(lanes, "lane")} want${lanes === 1 ? "s" : ""} ${plural(words, "word")}: ${plural(request.wavefronts.length, "wavefront")}, `
        + `${grouped(request.conflicts)} of them due to conflicts.`;
    }

    sectors(request) {
      const parts = [];
      let before = null;
      for (const number of request.sectors) {
        if (before !== null && number !== before + 1) parts.push(make("span", { class: "skipped" }, "…"));
        const words = [];
        for (let word = 0; word < 8; ++word) {
          const begin = 32 * number + 4 * word;
          const used = request.offsets.some((o) => o !== null && o < begin + 4 && begin < o + request.bytes);
          words.push(make("i", { class: used ? "used" : "unused" }));
        }
        parts.push(make("span", { class: `sector${number % 4 === 0 ? " line" : ""}`, "data-place": number },
          make("b", {}, grouped(32 * number)), ...words));
        before = number;
      }
      return parts;
    }

    banks(request) {
      const head = make("div", { class: "wave", "aria-hidden": "true" },
        ...Array.from({ length: 32 }, (_, bank) => make("b", {}, String(bank))));
      return [head, ...request.wavefronts.map((wave) => make("div", { class: "wave" },
        ...wave.map((lane, bank) => make("i", { "data-place": bank, "data-of": lane ?? undefined,
          class: lane === null ? "rests" : "used" }, lane === null ? "" : String(lane)))))];
    }

    places(lane) { // that the lane touches
      const request = this.requests[this.at], offset = request.offsets[lane];
      if (offset === null) return [];
      if (request.space === "shared") {
        return Array.from({ length: Math.ceil(request.bytes / 4) }, (_, word) => (Math.floor(offset / 4) + word) % 32);
      }
      const places = [];
      for (let sector = Math.floor(offset / 32); 32 * sector < offset + request.bytes; ++sector) places.push(sector);
      return places;
    }

    point(lane) {
      this.lane = lane;
      const request = this.requests[this.at];
      const places = lane === null || !request ? [] : this.places(lane);
      this.light((other) => other === lane, (place) => places.includes(Number(place.dataset.place))
        && (request.space === "global" || place.dataset.of === String(lane)));
      if (lane === null || !request) {
        this.pointed.textContent = "Point at a lane, a sector or a bank.";
        return;
      }
      const offset = request.offsets[lane], end = offset + request.bytes - 1;
      const bytes = end > offset ? `bytes ${grouped(offset)} to ${grouped(end)}` : `byte ${grouped(offset)}`;
      this.pointed.textContent = offset === null ? `Lane ${lane} is inactive.`
        : request.space === "shared" ? `Lane ${lane}: ${bytes} of shared memory, bank ${places.join(", ")}.`
          : `Lane ${lane}: ${bytes} of it, in the sector${places.length > 1 ? "s" : ""} from byte ${places.map((s) => grouped(32 * s)).join(", ")} on.`;
    }

    pointPlace(element) {
      const place = Number(element.dataset.place), request = this.requests[this.at], lanes = [];
      for (let lane = 0; lane < 32; ++lane) if (this.places(lane).includes(place)) lanes.push(lane);
      this.light((lane) => lanes.includes(lane), (other) => Number(other.dataset.place) === place);
      this.pointed.textContent = `${request.space === "shared" ? `Bank ${place}` : `The sector from byte ${grouped(32 * place)} on`}: `
        + `${lanes.length === 1 ? "lane" : "lanes"} ${lanes.join(", ") || "none"}.`;
    }

    light(ofLane, ofPlace) {
      for (const lane of this.lanes.children) lane.classList.toggle("lit", ofLane(Number(lane.dataset.lane)));
      for (const place of this.memory.querySelectorAll("[data-place]")) place.classList.toggle("lit", ofPlace(place));
    }
  }

  // The kernel's source, with the line of the request that is shown.
  class Code {
    constructor(sources) {
      this.sources = sources;
      this.element = make("pre", { class: "explore-code", tabindex: "0", role: "group", "aria-label": "The kernel" });
    }

    show(kernel) {
      const { first, lines } = this.sources[kernel];
      this.first = first;
      this.element.replaceChildren(...lines.map((line, at) => make("span", { class: "code-line" },
        make("span", { class: "line-number", "aria-hidden": "true" }, String(first + at)), `${line}\n`)));
    }

    mark(line) {
      const now = this.element.children[line - this.first];
      for (const other of this.element.children) other.classList.toggle("now", other === now);
      if (!now) return;
      const low = now.offsetTop, box = this.element;
      if (low < box.scrollTop || low + now.offsetHeight > box.scrollTop + box.clientHeight) {
        box.scrollTop = low - box.clientHeight / 2;
      }
    }
  }

  return { Requests, Code };
})();
