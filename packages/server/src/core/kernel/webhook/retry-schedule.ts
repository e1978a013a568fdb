import { createHash } from 'node:crypto'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Standard Webhooks: ten tries, the last one about three days after the first. */
export const customerRetries: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** Jitter of ±20 %, constant per message: spreads the load on an endpoint that recovers. */
export const customerSpread = (id: string): number => 0.8 + (0.4 * createHash('sha256').update(id).digest().readUInt16BE()) / 0xffff

/** A slow endpoint may occupy many messages and must not delay those of other customers. */
export const concurrentCustomerMessages = 256

/** Retry delay while too many requests of the account are running. */
export const accountBusyMs = 5 * second
