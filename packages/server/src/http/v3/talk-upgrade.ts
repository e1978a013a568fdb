import type { IncomingMessage } from 'node:http'
import { Problem } from '@offhook/contract/problem.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'
import type { Upgrades } from '../gate/upgrades.ts'
import { carryTalk } from './talk-socket.ts'

/** Longer texts are not accepted as a turn of the caller. */
const mostBytes = 16 * 1024

const notOurPage = 'Pages of other sites cannot talk here. If this page is ours, behind a proxy, OFFHOOK_PUBLIC_URL must say its address.'

/** Where browsers and programs call flows. */
export const mountTalkUpgrade = (
  upgrades: Upgrades,
  { talks, installation, wallClock }: Pick<HandlerParts, 'talks' | 'installation' | 'wallClock'>,
): void =>
  upgrades.add({
    path: '/v3/ai-flows/{aiFlowId}/talks/{talkId}/{means}',
    mostBytes,
    async enter({ request, params: { aiFlowId = '', talkId = '', means = '' }, accept }) {
      if (!isOurPage(request, installation.publicUrl())) throw new Problem('forbidden', notOurPage)
      const ticket = await talks.redeem(request.url ?? '', { flowId: aiFlowId, talkId, means })
      const client = await accept().catch((error: unknown) => {
        ticket.leave()
        throw error
      })
      carryTalk(client, { talks, ticket, clock: wallClock })
    },
  })

/** Browsers say which page it is that opens a WebSocket; programs are no page. */
const isOurPage = ({ headers: { origin, host } }: IncomingMessage, publicUrl: string): boolean => {
  if (origin === undefined) return true
  const page = URL.parse(origin)?.host
  return page !== undefined && (page === host || page === URL.parse(publicUrl)?.host)
}
