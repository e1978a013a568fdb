const lengthOf = ({ length }: Uint8Array): number[] => (length < 128 ? [length] : [0x80 | (length >> 8), length & 255])

const parityOf = (messages: readonly Uint8Array[]): Uint8Array => {
  const parity = new Uint8Array(Math.max(...messages.map(({ length }) => length)))
  for (const message of messages) for (const [at, byte] of message.entries()) parity[at] = (parity[at] ?? 0) ^ byte
  return parity
}

/** UDPTL with parity error correction: three codes, each over every third of the nine previous messages. */
export const withParity = (sequence: number, messageAt: (sequence: number) => Uint8Array, codes = 3, span = 3): Uint8Array => {
  const message = messageAt(sequence)
  const fields = Array.from({ length: codes }, (_, index) => {
    const parity = parityOf(Array.from({ length: span }, (_, i) => messageAt(sequence - codes + index - i * codes)))
    return [...lengthOf(parity), ...parity]
  })
  return Uint8Array.from([sequence >> 8, sequence & 255, ...lengthOf(message), ...message, 0x80, 1, span, codes, ...fields.flat()])
}
