import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { objectOf, refused, type Tool } from './tool.ts'

type Targets = NonNullable<NonNullable<AssistantSettings['tools']>['transfer']>

/** Both wait in the service until everything was heard. */
export const hangUpTool: Tool = {
  name: 'hang_up',
  description: 'Ends the call. Say goodbye in the same answer, and only use it when the caller wants nothing else.',
  parameters: objectOf({}),
  run: async () => ({ status: 'ok', content: 'The call ends.', end: { type: 'hangup' } }),
}

/** The model knows names, never numbers. */
export const transferTool = (targets: Targets): Tool => ({
  name: 'transfer',
  description: `Connects the caller with somebody else. Say so in the same answer. ${targets.map(({ name, when }) => `${name}: ${when}`).join('; ')}`,
  parameters: objectOf(
    {
      to: { type: 'string', enum: targets.map(({ name }) => name) },
      about: { type: 'string', maxLength: 500, description: 'One sentence for the person who answers: who calls, and why' },
    },
    ['to'],
  ),
  run: async ({ to, about }) => {
    const target = targets.find(({ name }) => name === to)
    if (!target) return refused('There is nobody of that name to transfer to.')
    const briefing = target.mode === 'warm' && typeof about === 'string' && about.trim() !== '' ? { briefing: about } : {}
    const mode = target.mode && { mode: target.mode }
    return {
      status: 'ok',
      content: 'The caller is being connected.',
      end: { type: 'transfer', target: target.target, ...mode, ...briefing },
    }
  },
})
