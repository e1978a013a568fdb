import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output, Timestamp } from '../values.ts'

const ParkedJob = Output({ id: Type.String(), kind: Type.String(), attempts: Type.Integer(), parkedAt: Timestamp })

const common = { auth: 'operator', bearer: true } as const

export const operatorJobOperations = {
  listParkedJobs: operation({
    id: 'listParkedJobs',
    method: 'GET',
    path: '/operator/v1/jobs',
    summary: 'Jobs that are not taken up again, because the process died in the middle of them twice, oldest first',
    ...common,
    query: Input({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })) }),
    status: 200,
    reply: Items(ParkedJob),
  }),
  reviveParkedJob: operation({
    id: 'reviveParkedJob',
    method: 'POST',
    path: '/operator/v1/jobs/{jobId}/revival',
    summary: 'Try a parked job again from the start',
    ...common,
    status: 204,
    errors: ['not_found'],
  }),
}
