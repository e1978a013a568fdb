/** What one PDU may hold. Larger ones are rejected before they cost anything. */
export const limits = {
  /** A PDU with its header; a message_payload of a hundred parts fits. */
  pduBytes: 16 * 1024,
  /** The same from a far end that is not bound yet. */
  unboundBytes: 1024,
  headerBytes: 16,
  /** Octets of short_message. */
  shortMessage: 254,
} as const
