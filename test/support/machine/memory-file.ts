/** A file that is in memory, as those on the disk are read. */
export const memoryFile = (content: Uint8Array) => ({
  bytes: content.length,
  read: async (position: number, length: number) => content.subarray(position, position + length),
})
