import { Badge, Text } from '@mantine/core'
import { otherParty } from '#api/other-party.ts'
import { useMay } from '#api/use-may.ts'
import { Icon } from '#parts/icon/icon.tsx'
import type { Column } from '#parts/list/columns.ts'
import { knownAs, useNumberActions } from '#parts/phone/use-number-actions.ts'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { Result } from './about-entry.tsx'
import { extentOf, iconOf, otherSide, ownSide, resultOf, type HistoryEntry } from '../parts/history-entry.ts'
import classes from './history-list.module.css'
import { text } from '../parts/text.ts'
import { useEntryActions } from '../parts/use-entry-actions.ts'

/** Who it was, what it was and when, and how it went; of voicemails what was said. */
export const useHistoryColumns = (only?: 'VOICEMAIL'): Column<HistoryEntry>[] => {
  const say = useText(text)
  const format = useFormat()
  const who: Column<HistoryEntry> = {
    key: 'who',
    header: say.who,
    value: (entry) => otherSide(entry, say, format),
    cell: (entry) => <Who entry={entry} />,
  }
  const when: Column<HistoryEntry> = {
    key: 'created',
    header: say.when,
    sortable: true,
    value: ({ created }) => created,
    cell: ({ created }) => <Time at={created} />,
  }
  const duration: Column<HistoryEntry> = {
    key: 'extent',
    header: say.duration,
    align: 'right',
    value: (entry) => extentOf(entry, say, format),
  }
  if (only === 'VOICEMAIL')
    return [
      who,
      {
        key: 'words',
        header: say.transcription,
        wraps: true,
        cell: (entry) => <Words entry={entry} />,
        value: ({ transcription = '' }) => transcription,
      },
      when,
      duration,
    ]
  return [
    who,
    {
      key: 'what',
      header: say.what,
      value: (entry) => `${say.types[entry.type]} · ${say.directions[entry.direction]}`,
      cell: (entry) => <What entry={entry} />,
    },
    when,
    {
      key: 'result',
      header: say.result,
      value: (entry) => [resultOf(entry, say).words, extentOf(entry, say, format)].filter((words) => words !== '').join(' '),
      cell: (entry) => <ResultAndExtent entry={entry} />,
    },
  ]
}

const Who = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  return (
    <span className={classes.what}>
      <Icon name={iconOf(entry)} size={16} />
      <span className={classes.name}>{otherSide(entry, say, format)}</span>
      <span className={classes.marks}>
        {!entry.read && entry.type !== 'CALL' && (
          <Badge size="xs" miw="fit-content">
            {say.unread}
          </Badge>
        )}
        {entry.starred && <Icon name="star" size={14} label={say.starred} />}
        {(entry.recordings?.length ?? 0) > 0 && <Icon name="record" size={14} label={say.recording} />}
      </span>
    </span>
  )
}

/** What it was, and who of the account had it. */
const What = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const own = ownSide(entry)
  return (
    <>
      {say.types[entry.type]} · {say.directions[entry.direction]}
      {own !== '' && (
        <Text span size="xs" c="dimmed" ml="xs">
          {own}
        </Text>
      )}
    </>
  )
}

const Words = ({ entry: { transcription } }: { entry: HistoryEntry }) => {
  const say = useText(text)
  return (
    <Text span inherit lineClamp={2} {...(!transcription && { c: 'dimmed' })}>
      {transcription || say.noTranscription}
    </Text>
  )
}

const ResultAndExtent = ({ entry }: { entry: HistoryEntry }) => {
  const extent = extentOf(entry, useText(text), useFormat())
  return (
    <span className={classes.result}>
      <Result entry={entry} />
      {extent !== '' && <span className={classes.extent}>{extent}</span>}
    </span>
  )
}

/** Calls back, and puts in order. */
export const EntryMenu = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const may = useMay()
  const numberActions = useNumberActions()
  const { change, remove } = useEntryActions(entry)
  const { starred, archived, read } = entry
  const { number, alias: name, contact } = otherParty(entry)
  const known = contact ? knownAs(contact) : name !== '' && name !== number ? { name } : {}
  const order = [
    { label: read ? say.markUnread : say.markRead, icon: 'mail', onClick: () => change({ read: !read }) },
    { label: starred ? say.unstar : say.star, icon: 'star', onClick: () => change({ starred: !starred }) },
    { label: archived ? say.unarchive : say.archive, icon: 'archive', onClick: () => change({ archived: !archived }) },
    { label: say.remove, icon: 'trash', danger: true, onClick: () => void remove() },
  ] as const
  const actions = [...numberActions({ number, ...known }), ...(may('CAN_CHANGE_HISTORY') ? order : [])]
  return actions.length === 0 ? null : <RowMenu label={say.actionsFor(otherSide(entry, say, format))} actions={actions} />
}
