// How the page talks with the server.

const TOKEN = "gamete-token";
/** A server that is silent for so long does not answer. */
const PATIENCE_MS = 10_000;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly key: string | null,
  ) {
    super(message);
  }
}

/** Whether a server could not be asked at all. */
export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0;
}

/** Whether the server knows nothing of this name. */
export function isUnknown(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Whether a server that could not be asked, or was too busy, may answer if it is asked again. */
export function isPassing(error: unknown): boolean {
  return isOffline(error) || (error instanceof ApiError && [429, 503].includes(error.status));
}

/** The address that `gamete serve` prints has the token behind `#`; it is kept for this tab and taken out of the address. */
export function takeToken(): void {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return;
  let token = found[1]!;
  try {
    token = decodeURIComponent(token);
  } catch {
    // Somebody typed it as it is.
  }
  setToken(token);
  history.replaceState(history.state, "", location.pathname + location.search);
}

export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

async function request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = {};
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers["Authorization"] = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "offline", "The server does not answer.", null);
  }
  if (response.ok) return response;
  let told: { error?: { code?: string; message?: string; key?: string } } = {};
  try {
    told = await response.json();
  } catch {
    // The status says enough.
  }
  const { code = "error", message = `The server answered ${response.status}.`, key = null } = told.error ?? {};
  throw new ApiError(response.status, code, message, key);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request("GET", path, undefined, signal)).json();
}

/** Why the server gives no event stream, which a browser does not tell; null where it gives one. */
export async function refusal(path: string): Promise<ApiError | null> {
  const cancel = new AbortController();
  try {
    await request("GET", path, undefined, AbortSignal.any([cancel.signal, AbortSignal.timeout(PATIENCE_MS)]));
    return null;
  } catch (error) {
    return error as ApiError;
  } finally {
    cancel.abort();
  }
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return (await request("POST", path, body)).json();
}

export async function remove(path: string): Promise<void> {
  await request("DELETE", path, {});
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The address of an experiment, a match or a session in the API. */
export function address(kind: "experiments" | "matches" | "play" | "presets", id: string, rest = ""): string {
  return `/api/${kind}/${encodeURIComponent(id)}${rest}`;
}

export function query(values: Record<string, string | number | undefined | null>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}
