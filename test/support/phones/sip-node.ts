import { Resolver } from '#adapters/telephony/transport/resolver.ts'
import { Transports, type TransportsOptions } from '#adapters/telephony/transport/transports.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { UserAgentOptions } from '@offhook/sip/user-agent/user-agent-options.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'

export interface SipNodeOptions
  extends
    Omit<UserAgentOptions, 'clock' | 'transport' | 'resolve'>,
    Pick<TransportsOptions, 'onUnreachable'>,
    Partial<Pick<TransportsOptions, 'onClosed'>> {
  clock: Clock
}

export interface SipNode {
  transports: Transports
  ua: UserAgent
  port: number
  /** Waits for pending requests, unless the signal is aborted. */
  close: (signal?: AbortSignal) => Promise<void>
}

/** User agent with its own sockets on loopback. */
export const openSipNode = async ({ clock, onClosed, onUnreachable, ...options }: SipNodeOptions): Promise<SipNode> => {
  const resolver = new Resolver({ clock, families: [4] })
  const transports = await Transports.open({
    clock,
    listen: { host: '127.0.0.1', port: 0 },
    onMessage: (message, from) => ua.receive(message, from),
    onClosed: (connection, flow) => {
      ua.connectionClosed(connection)
      onClosed?.(connection, flow)
    },
    ...(onUnreachable && { onUnreachable }),
  })
  const ua: UserAgent = new UserAgent({ ...options, clock, transport: transports, resolve: (uri) => resolver.locate(uri) })
  const close = async (signal?: AbortSignal): Promise<void> => {
    await ua.close(signal)
    await transports.close()
    resolver.close()
  }
  return { transports, ua, port: transports.port('udp') ?? 0, close }
}
