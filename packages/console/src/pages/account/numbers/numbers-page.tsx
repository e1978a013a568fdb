import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { DataTable, type Column } from '#parts/table/data-table.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu, type MenuDeed } from '#parts/table/row-menu.tsx'
import { SearchField } from '#parts/form/search-field.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { EndpointLabel } from '../parts/endpoint-label.tsx'
import { text as accountText } from '../parts/text.ts'
import { RouteForm, type PhoneNumberRow } from './route-form.tsx'
import { text } from './text.ts'

const tones: Readonly<Record<PhoneNumberRow['state'], Tone>> = {
  ACTIVE: 'good',
  ADDRESS_PENDING: 'warning',
  DEACTIVATED: 'bad',
  PORTING_IN: 'busy',
  PORTED_OUT: 'quiet',
}

const routable = ({ state }: PhoneNumberRow): boolean => state === 'ACTIVE' || state === 'ADDRESS_PENDING'

/** From so many on, one is looked for rather than seen. */
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
  const columns = useColumns()
  const [changing, setChanging] = useState<PhoneNumberRow>()
  const deedsFor = useDeeds(setChanging)
  const [sought, setSought] = useState('')
  const all = numbers.data?.items.filter(({ type }) => type !== 'QUICKDIAL') ?? []
  return (
    <Page title={say.title} description={say.lead}>
      {all.length > manyNumbers && <SearchField label={say.find} value={sought} onChange={setSought} />}
      <Section flush>
        <Loaded query={numbers}>
          {() => (
            <DataTable
              label={say.title}
              rows={all.filter((number) => fitsSearch(number, sought))}
              columns={columns}
              rowKey={({ id }) => id}
              {...(may('CAN_CHANGE_NUMBERS') && { rowActions: deedsFor })}
              empty={sought === '' ? <NoNumbers /> : <EmptyState icon="search" title={say.noMatch} />}
            />
          )}
        </Loaded>
      </Section>
      {changing && <RouteForm key={changing.id} number={changing} onClose={() => setChanging(undefined)} />}
    </Page>
  )
}

const useColumns = (): Column<PhoneNumberRow>[] => {
  const say = useText(text)
  const { leadsTo } = useText(accountText)
  const { day } = useFormat()
  return [
    {
      key: 'number',
      header: say.number,
      cell: ({ number, mnpState }) => (
        <Stack gap={0}>
          <PhoneNumber number={number} />
          {mnpState?.isReleased === true && mnpState.releasedUntil !== null && (
            <Text size="xs" c="dimmed">
              {say.released(day(mnpState.releasedUntil))}
            </Text>
          )}
        </Stack>
      ),
    },
    { key: 'leadsTo', header: leadsTo, cell: (number) => <EndpointLabel routed={number} /> },
    { key: 'type', header: say.type, cell: ({ type }) => say.types[type], wideOnly: true },
    { key: 'state', header: say.state, cell: ({ state }) => <StatusBadge tone={tones[state]}>{say.states[state]}</StatusBadge> },
  ]
}

const useDeeds = (onRoute: (number: PhoneNumberRow) => void) => {
  const say = useText(text)
  const { actionsFor } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const { phone } = useFormat()
  const change = useWrite('changeNumber', {
    refreshes: ['listNumbers'],
    onDone: (_, [, { releaseForMnp }]) => toast.done(releaseForMnp ? say.releasedDone : say.withdrawnDone),
  })
  const release = (id: string, releaseForMnp: boolean): void =>
    change.mutate([{ numberId: id }, { releaseForMnp }], { onError: (error) => toast.failed(error) })
  const askRelease = async ({ id, number }: PhoneNumberRow): Promise<void> => {
    const question = { title: say.releaseTitle(phone(number)), body: say.releaseBody, confirm: say.release }
    if (await confirm(question)) release(id, true)
  }
  const mnpDeed = (number: PhoneNumberRow): MenuDeed =>
    number.mnpState?.isReleased
      ? { label: say.withdraw, icon: 'lock', onClick: () => release(number.id, false) }
      : { label: say.release, icon: 'external', onClick: () => void askRelease(number) }
  return (number: PhoneNumberRow) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {routable(number) && (
        <Button size="xs" variant="default" onClick={() => onRoute(number)} aria-label={say.routeOf(phone(number.number))}>
          {say.route}
        </Button>
      )}
      {number.mnpState && <RowMenu label={actionsFor(phone(number.number))} deeds={[mnpDeed(number)]} />}
    </Group>
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
