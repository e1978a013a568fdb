/** What one PDU may hold. Whoever sends more is refused before it costs anything. */
export const limits = {
  /** A PDU with its header; a message_payload of a hundred parts fits. */
  pduBytes: 16 * 1024,
  /** The same from somebody who has not said who he is. */
  unboundBytes: 1024,
  headerBytes: 16,
  /** Octets of short_message. */
  shortMessage: 254,
} as const
