import { useEffect, useEffectEvent } from 'react'
import { useParams, useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { otherSide, type HistoryEntry } from './parts/history-entry.ts'
import { text } from './parts/text.ts'
import { useEntryActions, historyReads } from './parts/use-entry-actions.ts'
import { useHistoryOf } from './parts/use-history-of.ts'
import { Button, Group, Text, Badge } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { otherParty } from '#api/other-party.ts'
import { usePrivacy } from '#lazy-parts/privacy/privacy-section.tsx'
import { AboutEntry } from './history/about-entry.tsx'
import { CallStory } from './history/call-story.tsx'
import { FaxView } from './history/fax-view.tsx'
import { Recordings } from './recording/recordings.tsx'
import { useToast } from '#parts/dialog/toast.tsx'

/** One entry of the history. */
export const EntryPage = () => {
  const say = useText(text)
  const { entryId } = useParams<{ entryId: string }>()
  const { userId = '', search } = useHistoryOf()
  const entry = useRead('getHistoryEntry', { userId, entryId }, { when: userId !== '' })
  if (entry.data) return <EntryFrame entry={entry.data} />
  return (
    <Page title={say.history} back={{ to: `/calls${search}`, label: say.backToCalls }}>
      <Loaded query={entry}>{() => null}</Loaded>
    </Page>
  )
}

export const EntryFrame = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const { search } = useHistoryOf()
  useMarkAsRead(entry)
  return (
    <Page
      title={`${say.types[entry.type]}: ${otherSide(entry, say, format)}`}
      back={{ to: `/calls${search}`, label: say.backToCalls }}
      actions={<EntryActions entry={entry} />}
    >
      <EntryView entry={entry} />
    </Page>
  )
}

/** Opening one's own entry marks it as read; an administrator who opens another user's does not. */
const useMarkAsRead = (entry: HistoryEntry): void => {
  const { isOwn } = useHistoryOf()
  const may = useMay()('CAN_CHANGE_HISTORY') && isOwn
  const { change } = useEntryActions(entry)
  const mark = useEffectEvent(() => {
    if (may && !entry.read) change({ read: true })
  })
  useEffect(() => mark(), [entry.id, may])
}

/** All details of an entry, by its type. */
export const EntryView = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const { type, smsContent = '' } = entry
  if (type === 'CALL') return <CallStory entry={entry} />
  return (
    <>
      <AboutEntry entry={entry} />
      {type === 'VOICEMAIL' && (
        <>
          <MessageText entry={entry} />
          <Recordings entry={entry} />
        </>
      )}
      {type === 'SMS' && (
        <Section title={say.message}>
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{smsContent}</Text>
        </Section>
      )}
      {type === 'FAX' && <FaxView entry={entry} />}
    </>
  )
}

export const EntryActions = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const may = useMay()
  const [, go] = useLocation()
  const { search } = useHistoryOf()
  const { change, remove } = useEntryActions(entry, () => go(`/calls${search}`))
  const { starred, archived } = entry
  if (!may('CAN_CHANGE_HISTORY')) return null
  return (
    <Group gap="xs">
      <Button
        variant="default"
        aria-pressed={starred}
        leftSection={<Icon name="star" size={16} />}
        onClick={() => change({ starred: !starred })}
      >
        {starred ? say.unstar : say.star}
      </Button>
      <Button variant="default" leftSection={<Icon name="archive" size={16} />} onClick={() => change({ archived: !archived })}>
        {archived ? say.unarchive : say.archive}
      </Button>
      <Button variant="default" c="var(--mantine-color-error)" leftSection={<Icon name="trash" size={16} />} onClick={() => void remove()}>
        {say.remove}
      </Button>
      <CallerMenu entry={entry} />
    </Group>
  )
}

const e164 = /^\+[1-9]\d{5,14}$/

/** For administrators: stored data of the other party, a contact or an unknown number. */
const CallerMenu = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const privacy = usePrivacy()
  const { number, contact } = otherParty(entry)
  // A contact without an id is a person or line of the account.
  if (contact ? contact.id === undefined : !e164.test(number)) return null
  const subject = contact?.id === undefined ? ({ type: 'NUMBER', id: number } as const) : ({ type: 'CONTACT', id: contact.id } as const)
  const actions = privacy.actionsFor({ subject, name: contact?.name ?? format.phone(number) })
  if (actions.length === 0) return null
  return (
    <>
      <RowMenu label={say.callerData} actions={actions} />
      {privacy.dialog}
    </>
  )
}

/** Confidence below which the text is shown as unsure. */
const sure = 0.5
const pollIntervalMs = 1_500

/** Transcript of a voicemail. */
export const MessageText = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const { isOwn, userId = '' } = useHistoryOf()
  const { id: entryId, recordingUrl } = entry
  const isPending = entry.messageText?.state === 'PENDING'
  const again = useWrite('transcribeEntry', { refreshes: historyReads })
  // Polls the entry until its transcript is ready.
  useRead('getHistoryEntry', { userId, entryId }, { every: pollIntervalMs, when: isPending && userId !== '' })
  const mayAsk = isOwn && recordingUrl !== undefined && may('CAN_CHANGE_HISTORY')
  return (
    <Section
      title={say.transcription}
      actions={
        mayAsk && (
          <Button
            size="xs"
            variant="default"
            disabled={isPending}
            loading={again.isPending}
            onClick={() => again.mutate([{ entryId }], { onError: (error) => toast.failed(error) })}
          >
            {say.transcribeAgain}
          </Button>
        )
      }
    >
      <Words entry={entry} />
    </Section>
  )
}

const Words = ({ entry: { transcription, messageText } }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const { state, confidence } = messageText ?? {}
  const instead = state === 'DONE' ? say.nothingSaid : (state && say.textStates[state]) || say.noTranscription
  return (
    <div aria-live="polite">
      {transcription && state !== 'SILENT' ? (
        <Text style={{ whiteSpace: 'pre-wrap' }}>{transcription}</Text>
      ) : (
        <Text c="dimmed">{instead}</Text>
      )}
      {transcription && confidence !== undefined && confidence < sure && (
        <Group mt="xs">
          <Badge color="yellow" variant="light">
            {say.unsure}
          </Badge>
        </Group>
      )}
    </div>
  )
}
