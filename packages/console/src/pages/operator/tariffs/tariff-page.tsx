import { Group, SegmentedControl, Switch } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'wouter'
import { useRead } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { RateForm } from './rate-form.tsx'
import { services, type Service } from './rate-values.ts'
import { text } from './text.ts'
import { Rates } from './rates.tsx'

/** One tariff and its rates. */
export const TariffPage = () => {
  const say = useText(text)
  const { tariffId = '' } = useParams()
  const tariff = useRead('readTariff', { tariffId })
  const [service, setService] = useState<Service>('CALL')
  const [past, setPast] = useState(false)
  const [adding, setAdding] = useState(false)
  const choices = services.map((value) => ({ value, label: say.services[value] }))
  const add = <AddButton onClick={() => setAdding(true)}>{say.addRate}</AddButton>
  return (
    <Page
      title={tariff.data?.name ?? tariffId}
      back={{ to: '/operator/tariffs', label: say.title }}
      description={say.ratesHint}
      actions={add}
    >
      <Group justify="space-between">
        <SegmentedControl aria-label={say.service} data={choices} value={service} onChange={setService} />
        <Switch label={say.past} checked={past} onChange={(event) => setPast(event.currentTarget.checked)} />
      </Group>
      <Loaded query={tariff}>
        {({ currency }) => (
          <>
            <Rates {...{ tariffId, currency, past, service, add }} />
            {adding && <RateForm {...{ tariffId, currency, service }} onClose={() => setAdding(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}
