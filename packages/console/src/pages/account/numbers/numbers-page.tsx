import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { List } from '#parts/list/list.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { RoutingModal } from '#lazy-parts/routing/routing-section.tsx'
import { useText } from '#words/use-text.tsx'
import { OrderNumber } from './order-number.tsx'
import { orderText } from './order-text.ts'
import { RouteForm, type PhoneNumberRow } from './route-form.tsx'
import { text } from './text.ts'
import { useNumberColumns } from './use-number-columns.tsx'
import { useNumberActions } from './use-number-actions.tsx'

export const NumbersPage = () => {
  const say = useText(text)
  const may = useMay()
  const numbers = useRead('listNumbers')
  const columns = useNumberColumns()
  const [changing, setChanging] = useState<PhoneNumberRow>()
  const [timing, setTiming] = useState<PhoneNumberRow>()
  const actionsFor = useNumberActions({ onRoute: setChanging, onHours: setTiming })
  const [ordering, setOrdering] = useState(false)
  const { title: orderTitle } = useText(orderText)
  const order = may('CAN_ORDER_NUMBERS') && <AddButton onClick={() => setOrdering(true)}>{orderTitle}</AddButton>
  const all = numbers.data?.items.filter(({ type }) => type !== 'QUICKDIAL') ?? []
  return (
    <Page title={say.title} description={say.lead} actions={order}>
      <Section flush>
        <Loaded query={numbers}>
          {() => (
            <List
              label={say.title}
              rows={all}
              columns={columns}
              rowKey={({ id }) => id}
              {...(may('CAN_CHANGE_NUMBERS') && { rowActions: actionsFor })}
              search={say.find}
              empty={<NoNumbers />}
            />
          )}
        </Loaded>
      </Section>
      {ordering && <OrderNumber onClose={() => setOrdering(false)} />}
      {timing && <RoutingModal key={timing.id} number={timing} onClose={() => setTiming(undefined)} />}
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
