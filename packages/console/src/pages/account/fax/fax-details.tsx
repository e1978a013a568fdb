import { Button, Group, Select, Stack, Progress, Text } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { FaxView } from '#pages/calls/history/fax-view.tsx'
import { useEntryActions } from '#pages/calls/parts/use-entry-actions.ts'
import { useReason } from '#parts/value/use-reason.ts'
import { text } from './text.ts'
import { useSendingLines } from './use-sending-lines.ts'
import { otherParty } from '#api/other-party.ts'
import type { Tone } from '#parts/value/status-badge.tsx'
import { Track, type StepState, type TrackStep } from '../parts/track.tsx'

/** One fax: its progress, its first page, its documents. */
export const FaxDetails = ({ faxId, onClose }: { faxId: string; onClose: () => void }) => {
  const say = useText(text)
  const otherSide = useOtherSide()
  const fax = useRead('getOwnHistoryEntry', { entryId: faxId }, { every: 2_000 })
  const title = fax.data === undefined ? say.title : say.details(otherSide(fax.data))
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <Loaded query={fax}>
        {(entry) => (
          <Stack gap="lg">
            {entry.incoming ? <Received entry={entry} /> : <FaxProgress entry={entry} />}
            <FaxView entry={entry} />
            <Actions entry={entry} onClose={onClose} />
          </Stack>
        )}
      </Loaded>
    </Dialog>
  )
}

const Received = ({ entry }: { entry: FaxEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const { created, pageCount, bitRate = 0, faxReason } = entry
  return (
    <Facts
      facts={[
        [say.when, <Time key="when" at={created} />],
        [say.extent, pageCount],
        [say.bitRate, bitRate > 0 ? `${format.number(bitRate)} bit/s` : undefined],
        [say.reason, useReason(faxReason)],
      ]}
    />
  )
}

const Actions = ({ entry, onClose }: { entry: FaxEntry; onClose: () => void }) => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const { remove } = useEntryActions(entry, onClose)
  const lines = useSendingLines() ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const faxlineId = chosen ?? lines[0]?.id ?? ''
  const resend = useWrite('resendFax', {
    refreshes: ['listOwnHistory'],
    onDone: () => {
      toast.done(say.resent)
      onClose()
    },
  })
  const resendable = !entry.incoming && !isUnderWay(entry) && may('CAN_SEND_FAX') && faxlineId !== ''
  return (
    <Stack>
      <ErrorNotice error={resend.error} />
      <Group justify="flex-end" gap="xs" align="flex-end">
        {may('CAN_CHANGE_HISTORY') && (
          <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => void remove()}>
            {isUnderWay(entry) ? say.stop : say.remove}
          </Button>
        )}
        {resendable && lines.length > 1 && (
          <Select
            aria-label={say.fromLine}
            allowDeselect={false}
            data={lines.map(({ id, alias }) => ({ value: id, label: alias }))}
            value={faxlineId}
            onChange={setChosen}
          />
        )}
        {resendable && (
          <Button
            leftSection={<Icon name="refresh" size={16} />}
            loading={resend.isPending}
            onClick={() => resend.mutate([{}, { faxId: entry.id, faxlineId }])}
          >
            {say.resend}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** The other party of a fax: a contact, a number, or another known value. */
export const useOtherSide = (): ((entry: FaxEntry) => string) => {
  const { withheld } = useText(text)
  const { phone } = useFormat()
  return (entry) => {
    const { number, contact } = otherParty(entry)
    if (contact) return contact.name
    return number === '' || number === 'anonymous' ? withheld : phone(number)
  }
}

export type FaxEntry = OutputOf<'getOwnHistoryEntry'>
type FaxStatus = NonNullable<FaxEntry['faxStatusType']>

const underWay: readonly FaxStatus[] = ['PENDING', 'SENDING', 'SCHEDULED']

/** Its state will still change. */
export const isUnderWay = ({ incoming, faxStatusType }: FaxEntry): boolean =>
  !incoming && faxStatusType !== undefined && underWay.includes(faxStatusType)

export const toneOf = ({ incoming, faxStatusType, faxReason }: FaxEntry): Tone => {
  if (incoming) return faxReason === undefined ? 'good' : 'warning'
  return faxStatusType === 'SENT' ? 'good' : faxStatusType === 'FAILED' ? 'bad' : 'busy'
}

const names = ['accepted', 'waiting', 'sending', 'sent'] as const

/** Current step by state. */
const positions: Readonly<Record<FaxStatus, number>> = { PENDING: 1, SCHEDULED: 1, SENDING: 2, FAILED: 2, SENT: 4 }

const stateAt = (position: number, status: FaxStatus): StepState => {
  const present = positions[status]
  if (position !== present) return position < present ? 'done' : 'ahead'
  return status === 'FAILED' ? 'bad' : 'now'
}

/** Progress of an outgoing fax, page by page. */
export const FaxProgress = ({ entry }: { entry: FaxEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const { faxStatusType: status = 'PENDING', target, pageCount = 0, pagesSent = 0, bitRate = 0, scheduled, faxReason } = entry
  const steps: TrackStep[] = names.map((name, position) => ({ key: name, label: say.steps[name], state: stateAt(position, status) }))
  const reason = useReason(faxReason)
  const facts = [
    [say.reason, status === 'SENT' ? undefined : reason],
    [say.nextTry, scheduled !== undefined && status === 'SCHEDULED' ? <Time key="next" at={scheduled} /> : undefined],
    [say.bitRate, bitRate > 0 ? `${format.number(bitRate)} bit/s` : undefined],
  ] as const
  return (
    <Stack gap="md">
      <Track label={say.way(format.phone(target))} steps={steps} />
      <div>
        {pageCount > 0 && <Progress value={(pagesSent / pageCount) * 100} aria-label={say.pagesSent(pagesSent, pageCount)} />}
        <Text size="sm" mt={6} role="status">
          {say.statuses[status]}
          {pageCount > 0 && ` · ${say.pagesSent(pagesSent, pageCount)}`}
        </Text>
      </div>
      {facts.some(([, value]) => value !== undefined) && <Facts facts={facts} />}
    </Stack>
  )
}
