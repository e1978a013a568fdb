import { realClock } from '#adapters/clock/clocks.ts'
import { Transports } from '#adapters/telephony/transport/transports.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { Session } from '@offhook/sip/session/session.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import { within } from '#test/machine/within.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'

export interface ManyCalls {
  /** Sets up a call; returns the port to send RTP to. */
  call(from: string, to: string): Promise<number>
  hangUpAll(): Promise<void>
}

/** Signalling of a carrier with many calls, whose RTP comes from elsewhere. */
export const openManyCalls = async (
  scope: Scope,
  { address, server, rtpPort }: { address: string; server: string; rtpPort: number },
): Promise<ManyCalls> => {
  const sessions: Session[] = []
  let agent: UserAgent | undefined
  const transports = await Transports.open({
    clock: realClock(),
    listen: { host: address, port: 0 },
    onMessage: (message, from) => agent?.receive(message, from),
    onClosed: () => {},
  })
  agent = new UserAgent({
    clock: realClock(),
    transport: transports,
    product: 'Bench',
    resolve: async (uri) => [{ kind: 'udp', address: uri.host, port: uri.port ?? 5060 }],
    onInvite: ({ session }) => session.reject(603),
    onRequest: (incoming) => incoming.respond(200),
  })
  const opened = agent
  scope.after(async () => {
    await opened.close(AbortSignal.timeout(1000))
    await transports.close()
  })
  const sdp = `v=0\r\no=- 1 1 IN IP4 ${address}\r\ns=-\r\nc=IN IP4 ${address}\r\nt=0 0\r\nm=audio ${rtpPort} RTP/AVP 8\r\na=sendrecv\r\n`
  return {
    call(from, to) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const session = opened.invite(
        { uri: `sip:${to}@${server}`, from: `<sip:${from}@${address}>`, sdp },
        {
          progress: () => {},
          answered: (answer) => resolve(parseSdp(answer ?? '').media[0]?.port ?? 0),
          offered: () => ({ sdp }),
          ended: ({ status }) => reject(new Error(`the call ended: ${status}`)),
        },
      )
      sessions.push(session)
      return within(20_000, `an answer for ${from}`, promise)
    },
    async hangUpAll() {
      await Promise.all(sessions.map((session) => session.end()))
    },
  }
}
