/** Makes what may be wider or longer than its place a region that the keyboard can scroll, and names it. */
export function region(node: HTMLElement, label: string) {
  const name = (text: string) => node.setAttribute("aria-label", text);
  node.tabIndex = 0;
  node.setAttribute("role", "region");
  name(label);
  return { update: name };
}
