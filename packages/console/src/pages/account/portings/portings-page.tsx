import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { PortingCard } from './porting-card.tsx'
import { PortingState, type Porting } from './porting-state.tsx'
import { PortingForm } from './porting-form.tsx'
import { text } from './text.ts'

export const PortingsPage = () => {
  const say = useText(text)
  const may = useMay()
  const portings = useRead('listPortings', {}, { every: 10_000 })
  const [open, setOpen] = useState<Porting | 'new'>()
  const start = may('CAN_CREATE_PORTINGS') && <AddButton onClick={() => setOpen('new')}>{say.start}</AddButton>
  return (
    <Page title={say.title} description={say.lead} actions={start}>
      <Loaded query={portings}>{({ items }) => <Portings items={items} onCorrect={setOpen} />}</Loaded>
      {open !== undefined && <PortingForm porting={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

const Portings = ({ items, onCorrect }: { items: readonly Porting[]; onCorrect: (porting: Porting) => void }) => {
  const say = useText(text)
  const finished = items.filter(({ pending }) => !pending)
  if (items.length === 0)
    return (
      <Section flush>
        <EmptyState icon="switch" title={say.empty}>
          {say.emptyBody}
        </EmptyState>
      </Section>
    )
  return (
    <>
      {items
        .filter(({ pending }) => pending)
        .map((porting) => (
          <PortingCard key={porting.id} porting={porting} onCorrect={() => onCorrect(porting)} />
        ))}
      {finished.length > 0 && <Finished portings={finished} />}
    </>
  )
}

const Finished = ({ portings }: { portings: readonly Porting[] }) => {
  const say = useText(text)
  const { date } = useFormat()
  const columns: Column<Porting>[] = [
    { key: 'numbers', header: say.numbers, cell: ({ numbers }) => <PhoneNumbers numbers={numbers.map(({ number }) => number)} none="–" /> },
    { key: 'state', header: say.state, cell: (porting) => <PortingState porting={porting} /> },
    { key: 'date', header: say.date, cell: ({ portDate }) => (portDate === '' ? '–' : date(portDate)) },
  ]
  return (
    <Section title={say.finished} flush>
      <List label={say.finished} rows={portings} columns={columns} rowKey={({ id }) => String(id)} empty={null} />
    </Section>
  )
}
