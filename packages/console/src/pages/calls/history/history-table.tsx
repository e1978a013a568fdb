import { Badge, Text } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { Result } from './about-entry.tsx'
import { extentOf, iconOf, otherSide, ownSide, type HistoryEntry } from '../parts/history-entry.ts'
import classes from './history-list.module.css'
import { text } from '../parts/text.ts'
import { useEntryActions } from '../parts/use-entry-actions.ts'
import { useHistoryOf } from '../parts/use-history-of.ts'

export const HistoryTable = ({ entries, isFiltered }: { entries: readonly HistoryEntry[]; isFiltered: boolean }) => {
  const say = useText(text)
  const may = useMay()
  const { search } = useHistoryOf()
  return (
    <List
      label={say.history}
      rows={entries}
      rowKey={({ id }) => id}
      rowTo={({ id }) => `/calls/history/${id}${search}`}
      columns={[
        { key: 'who', header: say.who, cell: (entry) => <Who entry={entry} /> },
        { key: 'what', header: say.what, cell: (entry) => <What entry={entry} /> },
        { key: 'when', header: say.when, cell: ({ created }) => <Time at={created} /> },
        { key: 'result', header: say.result, cell: (entry) => <ResultAndExtent entry={entry} /> },
      ]}
      rowActions={(entry) => (may('CAN_CHANGE_HISTORY') ? <EntryMenu entry={entry} /> : null)}
      empty={
        <EmptyState icon="history" title={isFiltered ? say.noMatchTitle : say.emptyTitle}>
          {isFiltered ? undefined : say.emptyBody}
        </EmptyState>
      }
    />
  )
}

const Who = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  return (
    <span className={classes.what}>
      <Icon name={iconOf(entry)} size={16} />
      <span>{otherSide(entry, say, format)}</span>
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
    <div>
      {say.types[entry.type]} · {say.directions[entry.direction]}
      {own !== '' && (
        <Text size="xs" c="dimmed">
          {own}
        </Text>
      )}
    </div>
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

const EntryMenu = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const { change, remove } = useEntryActions(entry)
  const { starred, archived } = entry
  return (
    <RowMenu
      label={say.actionsFor(otherSide(entry, say, format))}
      actions={[
        { label: starred ? say.unstar : say.star, icon: 'star', onClick: () => change({ starred: !starred }) },
        { label: archived ? say.unarchive : say.archive, icon: 'archive', onClick: () => change({ archived: !archived }) },
        { label: say.remove, icon: 'trash', danger: true, onClick: () => void remove() },
      ]}
    />
  )
}
