import { Type, type Static } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output, RequiredText, Timestamp } from '../values.ts'

/** Audio in both directions: 16 bit, little endian, one channel; each binary message is one frame of 20 ms. */
export const talkSampleRate = 16_000
export const talkFrameBytes = 640

const TalkNumber = (description: string) => Type.Optional(Type.String({ pattern: '^\\+?[0-9]{1,20}$', description }))

/**
 * A call that a browser or a program makes over a WebSocket. It behaves like any other: listed in /v2/calls and in the history, held,
 * recorded and transferred. Text messages are JSON, see TalkNews and TalkFrame; binary ones are audio. Closing the connection hangs up.
 */
export const talkOperations = {
  startTalk: operation({
    id: 'startTalk',
    credentials: true,
    method: 'POST',
    path: '/v3/ai-flows/{aiFlowId}/talks',
    summary: 'A WebSocket address at which a browser or a program calls the flow, once, within 30 seconds',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_GET_FLOWS',
    body: Input({
      audio: Type.Optional(
        Type.Boolean({ default: true, description: 'false: no sound is sent in either direction; whoever calls types' }),
      ),
      fast: Type.Optional(
        Type.Boolean({
          description:
            'Only with audio false. true: what the assistant says takes no time, since nobody hears it; recordings have no sound',
        }),
      ),
      from: TalkNumber('Who seems to call, for the endpoint only: to try what depends on the number'),
      to: TalkNumber('Which number seems to be called, for the endpoint only'),
      draft: Type.Optional(Type.Boolean({ description: 'true: the assistant as it is being written answers, and not the published one' })),
    }),
    status: 201,
    reply: Output({
      talkId: Type.String({ description: 'The callId of the call that begins there' }),
      url: Type.String({
        description:
          'ws or wss; whoever has it may call once in your name. Pages of the service may put their own origin in place of the one in it.',
      }),
      expiresAt: Timestamp,
    }),
    errors: ['flow_not_found', 'assistant_not_set', 'talk_limit_reached'],
  }),
}

/** From the service. */
export type TalkNews =
  | { type: 'ready'; callId: string; sampleRate: typeof talkSampleRate }
  | { type: 'ringing' }
  | { type: 'answered' }
  /** The call was put on hold, or resumed. */
  | { type: 'held'; value: boolean }
  /** The message was invalid, or is not possible now; the call continues. */
  | { type: 'problem'; message: string }
  /** The call has ended and is in the history; the service closes the connection. */
  | { type: 'ended'; by: string; reason: string }

export const TalkText = Input({ type: Type.Literal('text'), text: RequiredText(2000) })
export const TalkDtmf = Input({ type: Type.Literal('dtmf'), digits: Type.String({ pattern: '^[0-9*#]{1,32}$' }) })
export const TalkHangup = Input({ type: Type.Literal('hangup') })

/** From the caller. */
export type TalkFrame = Static<typeof TalkText> | Static<typeof TalkDtmf> | Static<typeof TalkHangup>
