import { useMay } from '#api/use-may.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { HistoryList } from './history/history-list.tsx'
import { RunningCalls } from './running/running-calls.tsx'
import { text } from './parts/text.ts'

/** Running calls above, finished ones below. */
export const CallsPage = () => {
  const say = useText(text)
  const may = useMay()
  return (
    <Page title={say.title} description={say.lead}>
      {may('CAN_CONTROL_CALLS') && <RunningCalls />}
      {may('CAN_GET_HISTORY') && <HistoryList />}
    </Page>
  )
}
