import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output, Timestamp } from '../values.ts'

const year = 366 * 24 * 60 * 60

export const SandboxTime = Output({
  now: Timestamp,
  aheadSeconds: Type.Number({ description: 'How far that is ahead of the real time' }),
})

const common = { auth: 'operator', bearer: true } as const

export const operatorSandboxOperations = {
  getSandboxTime: operation({
    id: 'getSandboxTime',
    method: 'GET',
    path: '/operator/v1/sandbox/time',
    summary: 'What time it is in the sandbox',
    ...common,
    status: 200,
    reply: SandboxTime,
    errors: ['sandbox_off'],
  }),
  putSandboxTimeForward: operation({
    id: 'putSandboxTimeForward',
    method: 'POST',
    path: '/operator/v1/sandbox/time',
    summary:
      'Put the time of the sandbox forward: what falls due meanwhile happens in its order before the answer comes, as far as 20 seconds allow',
    ...common,
    body: Input({ seconds: Type.Integer({ minimum: 1, maximum: year }) }),
    status: 200,
    reply: SandboxTime,
    errors: ['sandbox_off'],
  }),
}
