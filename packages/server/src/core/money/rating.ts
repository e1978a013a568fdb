import type { Rate } from '#core/kernel/ports/store/money/tariffs.ts'

/** No call lasts longer, however rich the caller. */
export const maxCallSeconds = 4 * 60 * 60

/** Longer than any leg lasts, also one that waited before its call began or was transferred from call to call. */
export const endlessSeconds = 7 * 24 * 60 * 60

/** Whole pulses that cover `seconds` of talk; nothing for a call that was not answered. */
export function billedSeconds(rate: Rate, seconds: number): number {
  if (seconds <= 0) return 0
  const first = rate.minSeconds > 0 ? rate.minSeconds : rate.incrementSeconds
  if (seconds <= first) return first
  return first + Math.ceil((seconds - first) / rate.incrementSeconds) * rate.incrementSeconds
}

/** Of one leg; rounded up once, not per pulse. */
export function callCost(rate: Rate, seconds: number): number {
  if (seconds <= 0) return 0
  return rate.connectFee + dividedRoundingUp(billedSeconds(rate, seconds) * rate.ratePerMinute, 60)
}

/** The price of SMS segments, fax pages and other things that are counted. */
export function unitCost(rate: Rate, units: number): number {
  return rate.perUnit * units
}

/** When a leg is talked on, in whole seconds from the beginning of its call. */
export interface Span {
  from: number
  to: number
}

/** All legs together, for this many seconds. A leg without a span is talked on all the time. */
export function talkCost(legs: readonly Rate[], seconds: number, spans: readonly Span[] = []): number {
  return legs.reduce((sum, rate, leg) => sum + callCost(rate, within(seconds, spans[leg])), 0)
}

function within(seconds: number, span: Span | undefined): number {
  return span ? Math.max(0, Math.min(seconds, span.to) - span.from) : seconds
}

/** The most whole seconds on all legs together that `money` pays for in full; 0 when not even the first pulses are covered. */
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
