// Events of the server, for as long as somebody looks.

type Listeners = Record<string, (data: any) => void>;

/** Pages that nobody sees give up their connections: browsers allow few to one server. */
const HIDDEN_MS = 5_000;
const RETRY_MS = 1_000;

/**
 * Listens until the function that it gives is called. `onstate` hears whether there is a connection, `onagain` that there is one
 * again: what was told meanwhile was missed.
 */
export function listen(path: string, listeners: Listeners, onstate?: (connected: boolean) => void, onagain?: () => void): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  let hasMissed = false;

  function open(): void {
    clearTimeout(timer);
    if (ended || (source && source.readyState !== EventSource.CLOSED)) return;
    const opened = new EventSource(path);
    source = opened;
    opened.onopen = () => {
      onstate?.(true);
      if (hasMissed) onagain?.();
      hasMissed = true;
    };
    opened.onerror = () => {
      hasMissed = true;
      if (document.hidden) return;
      onstate?.(false);
      // A browser gives up on a server that is starting; this page does not.
      if (opened.readyState === EventSource.CLOSED) {
        close();
        timer = setTimeout(open, RETRY_MS);
      }
    };
    for (const [name, listener] of Object.entries(listeners)) {
      opened.addEventListener(name, (event) => listener(JSON.parse((event as MessageEvent<string>).data)));
    }
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
