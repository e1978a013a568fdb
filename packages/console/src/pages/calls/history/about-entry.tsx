import { Button, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { CallableNumber } from '#parts/phone-number.tsx'
import { isDialable, knownAs } from '#parts/phone/use-number-actions.ts'
import { Facts } from '#parts/value/facts.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useReason } from '#parts/value/use-reason.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { isFlowId } from '../parts/history-entry.ts'
import { partyName, resultOf, type HistoryEntry } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import { useEntryActions } from '../parts/use-entry-actions.ts'

/** `ended`: the end according to the timeline. */
export const AboutEntry = ({ entry, ended }: { entry: HistoryEntry; ended?: string | undefined }) => {
  const say = useText(text)
  const format = useFormat()
  const { source, target, duration, scheduled, faxReason, smsReason, pageCount, pagesSent, bitRate } = entry
  return (
    <Section>
      <Stack>
        <Facts
          across
          facts={[
            [say.from, <SideOfCall key="from" alias={entry.sourceAlias} number={source} contact={entry.sourceContact} />],
            [say.to, <SideOfCall key="to" alias={entry.targetAlias} number={target} contact={entry.targetContact} />],
            [say.when, <Time key="when" at={entry.created} />],
            [say.scheduled, scheduled && <Time key="scheduled" at={scheduled} />],
            [say.result, <Result key="result" entry={entry} />],
            [say.duration, duration === undefined ? undefined : format.duration(duration * 1000)],
            [say.ended, ended],
            [say.reason, useReason(faxReason ?? smsReason)],
            [say.document, pageCount === undefined ? undefined : say.pages(pageCount)],
            [say.pagesSent, pagesSent],
            [say.bitRate, bitRate === undefined ? undefined : `${format.number(bitRate)} bit/s`],
          ]}
        />
        <Note key={entry.id} entry={entry} />
      </Stack>
    </Section>
  )
}

/** A party with a call-back link; assistants and withheld numbers have none. */
const SideOfCall = ({ alias, number, contact }: { alias: string; number: string; contact: HistoryEntry['sourceContact'] }) => {
  const say = useText(text)
  const format = useFormat()
  if (!isDialable(number) || isFlowId(number)) return partyName(alias, number, say, format)
  const known = contact ? knownAs(contact) : alias !== '' && { name: alias }
  return <CallableNumber number={number} {...known} />
}

export const Result = ({ entry }: { entry: HistoryEntry }) => {
  const { tone, words } = resultOf(entry, useText(text))
  return <StatusBadge tone={tone}>{words}</StatusBadge>
}

const Note = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const toast = useToast()
  const may = useMay()
  const { change, isPending } = useEntryActions(entry)
  const [note, setNote] = useState(entry.note)
  const [isOpen, setOpen] = useState(entry.note !== '')
  if (!may('CAN_CHANGE_HISTORY')) return entry.note === '' ? null : <Text size="sm">{entry.note}</Text>
  if (!isOpen)
    return (
      <Button
        variant="subtle"
        size="xs"
        ml={-12}
        style={{ alignSelf: 'flex-start' }}
        leftSection={<Icon name="edit" size={14} />}
        onClick={() => setOpen(true)}
      >
        {say.addNote}
      </Button>
    )
  return (
    <div>
      <Textarea
        label={say.note}
        autoFocus={entry.note === ''}
        autosize
        minRows={1}
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {note !== entry.note && (
        <Button size="xs" mt="xs" loading={isPending} onClick={() => change({ note }, () => toast.done(say.saved))}>
          {say.saveNote}
        </Button>
      )}
    </div>
  )
}
