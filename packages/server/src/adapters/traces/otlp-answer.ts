/** What became of a request: a collector may take it and still reject some of its spans. */
export type Outcome = { taken: true; rejected: number } | { taken: false; why: string; again: boolean; pauseMs?: number }

export interface OtlpAnswer {
  status: number
  retryAfter: string | undefined
  text: string
}

/** OTLP names them: everything else will not be better the next time. */
const transient = [429, 502, 503, 504]
/** A collector that wants a longer rest is asked again after this one. */
const maxRestMs = 300_000

export const readAnswer = ({ status, retryAfter, text }: OtlpAnswer, now: number): Outcome => {
  if (status >= 200 && status < 300) return { taken: true, rejected: rejectedIn(text) }
  const pauseMs = retryAfter === undefined ? undefined : restOf(retryAfter, now)
  return { taken: false, why: `HTTP ${status}`, again: transient.includes(status), ...(pauseMs !== undefined && { pauseMs }) }
}

/** `partialSuccess` of ExportTraceServiceResponse; its numbers may be texts. */
const rejectedIn = (text: string): number => {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } }
    return Math.max(0, Number(partialSuccess?.rejectedSpans ?? 0) || 0)
  } catch {
    return 0 // it is not ours to judge how it says yes
  }
}

/** Seconds, or a date. */
const restOf = (retryAfter: string, now: number): number | undefined => {
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRestMs)
}
