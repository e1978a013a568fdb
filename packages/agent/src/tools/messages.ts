import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Host, Outcome, SmsWish } from '../host.ts'
import { objectOf, refused, type Tool, type ToolRun } from './tool.ts'

type SmsSettings = NonNullable<NonNullable<AssistantSettings['tools']>['send_sms']>

const runOf = (outcome: Outcome, done: string): ToolRun => ('done' in outcome ? { status: 'ok', content: done } : refused(outcome.refused))

/** Only to who calls, and as often as the settings allow. */
export const sendSmsTool = ({ templates = [], free_text = false, per_call = 1 }: SmsSettings, host: Host, sessionId: string): Tool => {
  let sent = 0
  const texts = templates.map(({ name, text }) => `${name}: “${text}”`).join('; ')
  const properties = {
    ...(templates.length > 0 && {
      template: { type: 'string', enum: templates.map(({ name }) => name) },
      fields: { type: 'object', additionalProperties: { type: 'string', maxLength: 200 }, description: 'What stands in the braces' },
    }),
    ...(free_text && { text: { type: 'string', minLength: 1, maxLength: 600 } }),
  }
  return {
    name: 'send_sms',
    description: `Sends an SMS to the caller's own number, at most ${per_call} in a call. ${texts}`,
    parameters: objectOf(properties, free_text && templates.length > 0 ? [] : templates.length > 0 ? ['template'] : ['text']),
    run: async ({ template, fields = {}, text }) => {
      const input = smsOf(templates, { template, fields, text })
      if (!input) return refused('Give a template with all its fields, or a text.')
      if (sent >= per_call) return refused(`No more than ${per_call} may be sent in a call.`)
      sent += 1 // counted before, because several may be wished for at once
      const outcome = await host.sendSms(sessionId, input).catch((error: unknown): Outcome => ({ refused: (error as Error).message }))
      if ('refused' in outcome) sent -= 1
      return runOf(outcome, 'The SMS is on its way.')
    },
  }
}

const smsOf = (
  templates: NonNullable<SmsSettings['templates']>,
  { template, fields, text }: { template: unknown; fields: unknown; text: unknown },
): SmsWish | undefined => {
  if (template === undefined) return typeof text === 'string' ? { text } : undefined
  const known = templates.find(({ name }) => name === template)
  if (!known) return undefined
  const given = fields as Record<string, string>
  const wanted = [...known.text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  if (!wanted.every((name) => Object.hasOwn(given, name))) return undefined
  return { template: known.name, fields: Object.fromEntries(wanted.map((name) => [name, given[name] ?? ''])) }
}

export const takeMessageTool = (host: Host, sessionId: string): Tool => ({
  name: 'take_message',
  description: 'Takes a message from the caller to the people who own this line. Ask for the name and the wish first.',
  parameters: objectOf(
    {
      name: { type: 'string', maxLength: 100, description: 'Who it is from' },
      phone: { type: 'string', maxLength: 40, description: 'Where they can be called back, if it is not the number that they call from' },
      text: { type: 'string', minLength: 1, maxLength: 2000 },
    },
    ['text'],
  ),
  run: async ({ name, phone, text }) => {
    const message = { text: String(text), ...(typeof name === 'string' && { name }), ...(typeof phone === 'string' && { phone }) }
    return runOf(await host.takeMessage(sessionId, message), 'The message was taken.')
  },
})
