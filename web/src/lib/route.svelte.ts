// Which page is shown, by the address.

export const route = $state({ path: location.pathname, search: location.search });

function sync(): void {
  route.path = location.pathname;
  route.search = location.search;
}

export function go(to: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", to);
  else history.replaceState(history.state, "", to);
  const before = route.path;
  sync();
  if (how === "push" && route.path !== before) {
    scrollTo(0, 0);
    // Who listens hears that there is another page.
    requestAnimationFrame(() => document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true }));
  }
}

/** The parts of the path, decoded. */
export function parts(path: string): string[] {
  return path.split("/").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

/** What the address says after `?`. */
export function asked(name: string): string | null {
  return new URLSearchParams(route.search).get(name);
}

/** Changes what the address says after `?`, without leaving the page. */
export function ask(values: Record<string, string | null>): void {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") search.delete(name);
    else search.set(name, value);
  }
  const text = search.toString();
  go(location.pathname + (text ? `?${text}` : "") + location.hash, "replace");
}

/** Links inside the page need no loading. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/") || link.hash) return;
  event.preventDefault();
  go(link.pathname + link.search);
}

addEventListener("popstate", sync);
