import { SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#api/client.ts'
import { useRead } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { Attention } from './attention.tsx'
import { Charts } from './charts.tsx'
import { Figures } from './figures.tsx'
import { text } from './text.ts'

const ranges = ['15', '60', '360', '1440'] as const
const intervalMs = 10_000

/** How the installation is. */
export const OverviewPage = () => {
  const say = useText(text)
  const [minutes, setMinutes] = useState<string>('60')
  const metrics = useQuery({
    queryKey: ['readMetrics', minutes],
    queryFn: () => api.readMetrics({ minutes: Number(minutes) }),
    refetchInterval: intervalMs,
    placeholderData: keepPreviousData,
  })
  const nodes = useRead('listNodes', {}, { every: intervalMs })
  const choices = ranges.map((range) => ({ value: range, label: say.ranges[range] }))
  return (
    <Page
      title={say.title}
      description={say.description}
      width="full"
      actions={<SegmentedControl aria-label={say.range} size="sm" data={choices} value={minutes} onChange={setMinutes} />}
    >
      <Loaded query={nodes}>
        {({ items }) => (
          <Loaded query={metrics}>
            {(figures) => (
              <>
                <Figures metrics={figures} nodes={items} />
                <Attention nodes={items} />
                <Charts metrics={figures} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
