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

/** ±20 %, always the same for one message: an endpoint that comes back is not asked for everything at once. */
export const customerSpread = (id: string): number => 0.8 + (0.4 * createHash('sha256').update(id).digest().readUInt16BE()) / 0xffff

/** A customer whose endpoint takes long may hold up many messages, and must not hold up those of others. */
export const concurrentCustomerMessages = 256

/** When too many of the same account are under way. */
export const accountBusyMs = 5 * second
