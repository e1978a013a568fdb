import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Settings } from '#settings/config.ts'
import { CannotStart } from '#settings/cannot-start.ts'

/** Without this check each call would try every port on an address that this machine does not have. */
export const audioAddresses = async ({ OFFHOOK_RTP_ADDRESS: addresses }: Pick<Settings, 'OFFHOOK_RTP_ADDRESS'>): Promise<string[]> => {
  for (const address of addresses) await checkOwn(address)
  return addresses
}

const checkOwn = async (address: string): Promise<void> => {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  try {
    socket.bind(0, address)
    await once(socket, 'listening')
  } catch (error) {
    throw new CannotStart(
      `OFFHOOK_RTP_ADDRESS names ${address}, which is no address of this machine. Set only addresses that \`ip addr\` lists.`,
      error,
    )
  } finally {
    socket.close()
  }
}
