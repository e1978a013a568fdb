import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { SearchField } from '#parts/form/search-field.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { RouteForm, type PhoneNumberRow } from './route-form.tsx'
import { text } from './text.ts'
import { useNumberColumns } from './use-number-columns.tsx'
import { useNumberActions } from './use-number-actions.tsx'

/** From this many numbers on there is a search field. */
const manyNumbers = 10

/** A part of the number, however it is written, or of the name that it leads to. */
const fitsSearch = ({ number, endpointAlias }: PhoneNumberRow, sought: string): boolean => {
  const digits = sought.replaceAll(/[\s()/-]/g, '').replace(/^0(?=[1-9])/, '')
  return number.includes(digits) || endpointAlias.toLowerCase().includes(sought.trim().toLowerCase())
}

export const NumbersPage = () => {
  const say = useText(text)
  const may = useMay()
  const numbers = useRead('listNumbers')
  const columns = useNumberColumns()
  const [changing, setChanging] = useState<PhoneNumberRow>()
  const actionsFor = useNumberActions(setChanging)
  const [sought, setSought] = useState('')
  const all = numbers.data?.items.filter(({ type }) => type !== 'QUICKDIAL') ?? []
  return (
    <Page title={say.title} description={say.lead}>
      {all.length > manyNumbers && <SearchField label={say.find} value={sought} onChange={setSought} />}
      <Section flush>
        <Loaded query={numbers}>
          {() => (
            <List
              label={say.title}
              rows={all.filter((number) => fitsSearch(number, sought))}
              columns={columns}
              rowKey={({ id }) => id}
              {...(may('CAN_CHANGE_NUMBERS') && { rowActions: actionsFor })}
              empty={sought === '' ? <NoNumbers /> : <EmptyState icon="search" title={say.noMatch} />}
            />
          )}
        </Loaded>
      </Section>
      {changing && <RouteForm key={changing.id} number={changing} onClose={() => setChanging(undefined)} />}
    </Page>
  )
}

const NoNumbers = () => {
  const say = useText(text)
  const may = useMay()
  const bring = may('CAN_CREATE_PORTINGS')
  return (
    <EmptyState
      icon="hash"
      title={say.empty}
      {...(bring && {
        action: (
          <Button component={Link} href="/portings">
            {say.toPortings}
          </Button>
        ),
      })}
    >
      {bring ? say.emptyAdmin : say.emptyUser}
    </EmptyState>
  )
}
