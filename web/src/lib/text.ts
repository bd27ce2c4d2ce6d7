// Numbers and times as people read them.

const MINUS = "−";

export function whole(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en-GB").replace("-", MINUS);
}

/** A number with about so many digits that count. */
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value).replace("-", MINUS);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 1)).replaceAll("-", MINUS);
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = value.toFixed(Math.min(places, 6));
  return text.replace("-", MINUS);
}

/** Numbers of one axis: all with as many places as one of them needs. */
export function alike(values: number[]): string[] {
  const texts = values.map((value) => number(value));
  if (texts.some((text) => text.includes("e"))) return texts;
  const places = Math.max(0, ...texts.map((text) => (text.split(".")[1] ?? "").replace(/0+$/, "").length));
  return values.map((value) => fixed(value, places));
}

/** A number with so many places, and no minus before nothing. */
export function fixed(value: number, places: number): string {
  const text = Math.abs(value).toFixed(places);
  return value < 0 && Number(text) > 0 ? `${MINUS}${text}` : text;
}

export function signed(value: number | null | undefined, places = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const text = fixed(value, places);
  return text.startsWith(MINUS) ? text : `+${text}`;
}

export function percent(share: number | null | undefined, places = 0): string {
  return share === null || share === undefined || !Number.isFinite(share) ? "–" : `${(share * 100).toFixed(places)} %`;
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = minutes / 60;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} d`;
}

export function date(seconds: number | null | undefined): string {
  if (!seconds) return "–";
  const when = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())} ${two(when.getHours())}:${two(when.getMinutes())}`;
}

export function clock(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 20) return seconds.toFixed(1);
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** Elo with its interval. */
export function elo(value: number | null, low: number | null, high: number | null): string {
  if (value === null && low === null && high === null) return "–";
  if (value === null || low === null || high === null) {
    if (low !== null) return `above ${signed(low)}`;
    return high !== null ? `below ${signed(high)}` : "–";
  }
  return `${signed(value)} [${signed(low)}, ${signed(high)}]`;
}
