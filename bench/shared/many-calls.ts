import { realClock } from '#adapters/clock/clocks.ts'
import { Transports } from '#adapters/telephony/transport/transports.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { Session } from '@offhook/sip/session/session.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import { within } from '#test/machine/within.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'

/** An answered call. */
export interface OpenedCall {
  /** Port to send RTP to. */
  port: number
  /** Resolves when the far end hangs up. */
  lost: Promise<void>
  hangUp(): Promise<void>
}

/** The call was rejected; without a status there was no answer. */
export class CallRejected extends Error {
  readonly status: number | undefined

  constructor(status: number | undefined) {
    super(`the call ended: ${status}`)
    this.status = status
  }
}

export interface ManyCalls {
  /** Sets up a call that can be hung up alone. */
  open(from: string, to: string): Promise<OpenedCall>
  /** Sets up a call; returns the port to send RTP to. */
  call(from: string, to: string): Promise<number>
  hangUpAll(): Promise<void>
}

/** Signalling of a carrier with many calls, whose RTP comes from elsewhere. */
export const openManyCalls = async (
  scope: Scope,
  { address, server, rtpPort }: { address: string; server: string; rtpPort: number },
): Promise<ManyCalls> => {
  const sessions = new Set<Session>()
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
  const open = (from: string, to: string): Promise<OpenedCall> => {
    const { promise, resolve, reject } = Promise.withResolvers<OpenedCall>()
    const lost = Promise.withResolvers<void>()
    const session = opened.invite(
      { uri: `sip:${to}@${server}`, from: `<sip:${from}@${address}>`, sdp },
      {
        progress: () => {},
        answered: (answer) =>
          resolve({ port: parseSdp(answer ?? '').media[0]?.port ?? 0, lost: lost.promise, hangUp: async () => session.end() }),
        offered: () => ({ sdp }),
        ended: ({ by, status }) => {
          reject(new CallRejected(status))
          if (by !== 'us') lost.resolve()
          sessions.delete(session)
        },
      },
    )
    sessions.add(session)
    return within(20_000, `an answer for ${from}`, promise)
  }
  return {
    open,
    call: async (from, to) => (await open(from, to)).port,
    async hangUpAll() {
      await Promise.all([...sessions].map((session) => session.end()))
    },
  }
}
