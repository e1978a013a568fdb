import type { Rate } from '#core/kernel/ports/store/money.ts'

/** Maximum call duration, regardless of the balance. */
export const maxCallSeconds = 4 * 60 * 60

/** Longer than any leg lasts, including one that waited before its call began or was transferred from call to call. */
export const endlessSeconds = 7 * 24 * 60 * 60

/** Whole pulses that cover `seconds` of talk; 0 for an unanswered call. */
export function billedSeconds(rate: Rate, seconds: number): number {
  if (seconds <= 0) return 0
  const first = rate.minSeconds > 0 ? rate.minSeconds : rate.incrementSeconds
  if (seconds <= first) return first
  return first + Math.ceil((seconds - first) / rate.incrementSeconds) * rate.incrementSeconds
}

/** Cost of one leg; rounded up once, not per pulse. */
export function callCost(rate: Rate, seconds: number): number {
  if (seconds <= 0) return 0
  return rate.connectFee + dividedRoundingUp(billedSeconds(rate, seconds) * rate.ratePerMinute, 60)
}

/** Price of SMS segments, fax pages and other counted units. */
export function unitCost(rate: Rate, units: number): number {
  return rate.perUnit * units
}

/** Talk time of a leg, in whole seconds from the start of its call. */
export interface Span {
  from: number
  to: number
}

/** Cost of all legs for this many seconds. A leg without a span is billed for the whole time. */
export function talkCost(legs: readonly Rate[], seconds: number, spans: readonly Span[] = []): number {
  return legs.reduce((sum, rate, leg) => sum + callCost(rate, within(seconds, spans[leg])), 0)
}

function within(seconds: number, span: Span | undefined): number {
  return span ? Math.max(0, Math.min(seconds, span.to) - span.from) : seconds
}

/** Maximum whole seconds on all legs together that `money` fully covers; 0 if it does not cover the first pulses. */
export function maxSeconds(legs: readonly Rate[], money: number, spans: readonly Span[] = []): number {
  let affordable = 0
  let tooLong = endlessSeconds + 1
  while (tooLong - affordable > 1) {
    const middle = Math.floor((affordable + tooLong) / 2)
    if (talkCost(legs, middle, spans) <= money) affordable = middle
    else tooLong = middle
  }
  return affordable
}

/** Every prefix a rate could be stored under, longest first; the empty one is the default rate. */
export function prefixes(e164: string): string[] {
  const digits = e164.replace(/^\+/, '')
  return Array.from({ length: digits.length + 1 }, (_, shorter) => digits.slice(0, digits.length - shorter))
}

function dividedRoundingUp(amount: number, divisor: number): number {
  const remainder = amount % divisor
  return (amount - remainder) / divisor + (remainder > 0 ? 1 : 0)
}
