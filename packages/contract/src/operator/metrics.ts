import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output, Timestamp } from '../values.ts'

const count = (description: string) => Type.Integer({ description })

/** Milliseconds; percentiles, accurate to five percent. */
const Durations = Output({ p50: Type.Number(), p95: Type.Number() })
/** Missing without data. */
const durations = (description: string) => Type.Optional(Type.Object(Durations.properties, { description }))

const Figures = Output({
  callsStarted: count('Calls that came or were begun'),
  callsAnswered: count('Calls that somebody took'),
  callsFailed: count('Calls that ended by a fault of the service, the network or an endpoint'),
  callsRunning: count('The most at the same time'),
  turns: count('Times that a caller said something to an assistant and was answered'),
  endpointRequests: count('Attempts to tell customers’ endpoints something'),
  endpointFailures: count('… that failed'),
  httpRequests: count('Requests to the REST interface'),
  httpFailures: count('… that were answered with a status of 500 or more'),
  setUpMs: durations('From a call’s arrival until somebody rings or answers'),
  turnMs: durations('From a caller’s last sound to the first of the answer'),
  endpointMs: durations('How long endpoints took to answer'),
  httpMs: durations('How long requests to the REST interface took'),
})

export const MetricPoint = Output({ at: Timestamp, ...Figures.properties })

export const operatorMetricOperations = {
  readMetrics: operation({
    id: 'readMetrics',
    method: 'GET',
    path: '/operator/v1/metrics',
    summary: 'Figures of all processes together: every 10 seconds for up to an hour, every 5 minutes for longer',
    auth: 'operator',
    bearer: true,
    query: Input({ minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1440, default: 60 })) }),
    status: 200,
    reply: Output({
      stepSeconds: Type.Integer({ description: 'For so long each point counts' }),
      whole: Type.Object(Figures.properties, { description: 'All points together' }),
      points: Type.Array(MetricPoint, { description: 'Without gaps, the oldest first; the present is not over and not among them' }),
    }),
  }),
}
