// Events of the server, for as long as somebody looks.
import { isUnknown, refusal, type ApiError } from "./api.ts";

type Listeners = Record<string, (data: any) => void>;

/** Pages that nobody sees give up their connections: browsers allow few to one server. */
const HIDDEN_MS = 5_000;
const RETRY_MS = 1_000;

/**
 * Listens until the function that it gives is called. `onstate` is told why there is no connection, and null when there is one;
 * `onagain` that there is one again: what was told meanwhile was missed. Nobody waits for events of what the server does not know.
 */
export function listen(path: string, listeners: Listeners, onstate?: (problem: ApiError | null) => void, onagain?: () => void): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  let hasMissed = false;

  function open(): void {
    clearTimeout(timer);
    if (ended || source) return;
    const opened = new EventSource(path);
    source = opened;
    opened.onopen = () => {
      onstate?.(null);
      if (hasMissed) onagain?.();
      hasMissed = true;
    };
    opened.onerror = () => {
      hasMissed = true;
      close();
      // Pages that nobody sees are connected again when they are seen.
      if (!document.hidden) void retry();
    };
    for (const [name, listener] of Object.entries(listeners)) {
      opened.addEventListener(name, (event) => listener(JSON.parse((event as MessageEvent<string>).data)));
    }
  }

  /** A browser gives up on a server that is starting, or has no lab; this page does not. */
  async function retry(): Promise<void> {
    const problem = await refusal(path);
    if (ended || source) return;
    if (problem) onstate?.(problem);
    if (!isUnknown(problem)) timer = setTimeout(open, RETRY_MS);
  }

  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  function look(): void {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(close, HIDDEN_MS);
    else open();
  }

  document.addEventListener("visibilitychange", look);
  open();
  return () => {
    ended = true;
    document.removeEventListener("visibilitychange", look);
    close();
  };
}
