import { queueBounds, secondsBounds } from './bounds.ts'
import { counter, gauge, histogram } from './family.ts'

/** What happens between a caller's last sound and the first of the answer. */
export const turnFamilies = {
  offhook_turn_seconds: histogram('From a caller’s last sound to the first of the answer.', secondsBounds),
  offhook_endpoint_seconds: histogram('How long endpoints took to answer.', secondsBounds),
  offhook_endpoint_failures_total: counter('Attempts to tell customers’ endpoints something that failed.'),
  offhook_endpoint_attempts_total: counter(
    'Attempts to tell customers’ endpoints something, by what became of them: delivered, failed, superseded, dead.',
    'outcome',
  ),
  offhook_notification_seconds: histogram('How long accounts’ own software took to answer a call notification.', secondsBounds),
  offhook_notification_attempts_total: counter('Call notifications, by what became of them: delivered or failed.', 'outcome'),
  offhook_endpoint_breakers_open: gauge('Endpoints that are not asked for a while, because they failed too often.'),
  offhook_agent_restarts_total: counter('How often what runs the assistants ended by itself and was started again.'),
  offhook_speech_queue_seconds: histogram(
    'How long speech waited for a thread of ours: part is recogniser or synthesiser.',
    queueBounds,
    'part',
  ),
  offhook_speech_waiting: gauge('What waits for a thread now: part is recogniser or synthesiser.', 'part'),
} as const
