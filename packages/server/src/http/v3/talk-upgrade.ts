import type { HandlerDeps } from '../handler/handler-parts.ts'
import { requireOurPage } from '../gate/our-page.ts'
import type { Upgrades } from '../gate/upgrades.ts'
import { carryTalk } from './talk-socket.ts'

/** Longer texts are not accepted as a turn of the caller. */
const maxBytes = 16 * 1024

/** Where browsers and programs call flows. */
export const mountTalkUpgrade = (
  upgrades: Upgrades,
  { talks, installation, wallClock }: Pick<HandlerDeps, 'talks' | 'installation' | 'wallClock'>,
): void =>
  upgrades.add({
    path: '/v3/ai-flows/{aiFlowId}/talks/{talkId}/{means}',
    maxBytes,
    async enter({ request, params: { aiFlowId = '', talkId = '', means = '' }, accept }) {
      requireOurPage(request, installation.publicUrl())
      const ticket = await talks.redeem(request.url ?? '', { flowId: aiFlowId, talkId, means })
      const client = await accept().catch((error: unknown) => {
        ticket.leave()
        throw error
      })
      carryTalk(client, { talks, ticket, clock: wallClock })
    },
  })
