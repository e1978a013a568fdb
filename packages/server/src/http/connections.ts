import type { Server } from 'node:http'
import { addressBlock } from '../core/identity/address-block.ts'

export interface ConnectionLimits {
  /** Open at the same time, from all together and from each address. */
  total: number
  perAddress: number
}

/** Nobody may hold so many connections that nobody else gets one. */
export const limitConnections = (server: Server, { total, perAddress }: ConnectionLimits): void => {
  const open = new Map<string, number>()
  server.maxConnections = total
  server.on('connection', (socket) => {
    const address = addressBlock(socket.remoteAddress ?? '')
    const count = open.get(address) ?? 0
    if (count >= perAddress) {
      socket.destroy()
      return
    }
    open.set(address, count + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  })
}
