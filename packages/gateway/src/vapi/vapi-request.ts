import type { Session } from '@offhook/contract/assistant/session.ts'
import type { GatewaySettings } from '../gateway.ts'
import type { Utterance } from '../transcript.ts'
import { e164 } from '../twilio-names.ts'

const prosody = 'You talk on the telephone. Answer in short sentences that can be spoken.'
const greeting = 'The call has just begun. Greet the caller in one short sentence.'

/** Where Vapi would ask: it puts the same path behind the address of a custom LLM. */
export const completionsAt = (url: string): string => {
  const asked = URL.parse(url)
  if (!asked || asked.pathname.endsWith('/chat/completions')) return url
  asked.pathname = `${asked.pathname.replace(/\/$/, '')}/chat/completions`
  return asked.href
}

/** What Vapi sends to a custom LLM, as far as a call of ours has it. */
export const completionBody = (session: Session, settings: GatewaySettings, utterances: readonly Utterance[], now: number): string => {
  const said = utterances.map(({ role, content }) => ({ role: role === 'agent' ? 'assistant' : 'user', content }))
  const caller = e164(session.direction === 'outbound' ? session.to_phone_number : session.from_phone_number)
  const called = e164(session.direction === 'outbound' ? session.from_phone_number : session.to_phone_number)
  const content = utterances.length === 0 ? `${prosody} ${greeting}` : prosody
  return JSON.stringify({
    model: 'custom-llm',
    messages: [{ role: 'system', content: `${content} Language: ${settings.language}.` }, ...said],
    stream: true,
    temperature: 0.3,
    max_tokens: 300,
    tools: toolsFor(settings.transferTargets),
    call: {
      id: session.id,
      orgId: session.account_id,
      type: session.direction === 'outbound' ? 'outboundPhoneCall' : 'inboundPhoneCall',
      status: 'in-progress',
      customer: { number: caller },
    },
    customer: { number: caller },
    phoneNumber: { number: called },
    timestamp: now,
    metadata: {},
  })
}

const toolsFor = (targets: readonly string[]): object[] => {
  const named = targets.filter((target) => !target.endsWith('*'))
  const tool = (name: string, description: string, properties: object, required: readonly string[]): object => ({
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties, required } },
  })
  const destination = { type: 'string', ...(named.length === targets.length && { enum: named }) }
  return [
    tool('endCall', 'Ends the call after what was said.', {}, []),
    ...(targets.length > 0 ? [tool('transferCall', 'Puts the caller through to somebody else.', { destination }, ['destination'])] : []),
  ]
}
