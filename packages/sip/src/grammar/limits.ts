/** What one message may hold. Larger ones are rejected before they cost anything. */
export const limits = {
  datagramBytes: 16 * 1024,
  streamBytes: 64 * 1024,
  headers: 128,
  /** Name and value of one header, with all its continuation lines. */
  headerLength: 8 * 1024,
  vias: 32,
  sdpBytes: 16 * 1024,
  mediaLines: 10,
} as const
