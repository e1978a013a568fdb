import { Button, Group, Select, Stack } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
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
import { isUnderWay, type FaxEntry } from './fax-entry.ts'
import { FaxProgress } from './fax-progress.tsx'
import { text } from './text.ts'
import { useOtherSide } from './use-other-side.ts'
import { useSendingLines } from './use-sending-lines.ts'

/** One fax: how it went, its first page, its documents. */
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
