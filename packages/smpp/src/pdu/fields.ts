import { status } from './status.ts'

/**
 * How long the strings may be (SMPP 3.4 §4, without the closing zero) and which status names the one that is wrong. Names and passwords
 * may be longer than the specification says: carriers give out such ones.
 */
export const fields = {
  systemId: [64, status.invalidSystemId],
  password: [64, status.invalidPassword],
  systemType: [32, status.invalidSystemType],
  addressRange: [40, status.bindFailed],
  serviceType: [5, status.invalidServiceType],
  source: [20, status.invalidSource],
  destination: [20, status.invalidDestination],
  /** data_sm lets addresses be longer; what we receive may always be. */
  longSource: [64, status.invalidSource],
  longDestination: [64, status.invalidDestination],
  scheduleTime: [16, status.invalidSchedule],
  validityPeriod: [16, status.invalidValidity],
  messageId: [64, status.invalidMessageId],
} as const satisfies Record<string, readonly [longest: number, wrong: number]>
