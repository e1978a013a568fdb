/** In-memory file with the interface of a file on disk. */
export const memoryFile = (content: Uint8Array) => ({
  bytes: content.length,
  read: async (position: number, length: number) => content.subarray(position, position + length),
})
