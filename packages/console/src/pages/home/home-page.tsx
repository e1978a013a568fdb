import { SimpleGrid } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { FirstStep } from './first-step.tsx'
import { Glance } from './glance.tsx'
import { RecentHistory } from './recent-history.tsx'
import { text } from './text.ts'

/** What a new user can do first, and what has happened since. */
export const HomePage = () => {
  const say = useText(text)
  const may = useMay()
  const me = useMe()
  return (
    <Page title={me ? say.hello(me.firstname) : say.start} description={say.lead}>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        {may('CAN_GET_FLOWS') && (
          <FirstStep icon="microphone" title={say.talkTitle} body={say.talkBody} action={say.talkAction} to="/talk" primary />
        )}
        {may('CAN_GET_FLOWS') && (
          <FirstStep icon="code" title={say.codeTitle} body={say.codeBody} action={say.codeAction} to="/flows" command="npx offhook init" />
        )}
        {may('CAN_GET_DEVICES') && (
          <FirstStep icon="phone" title={say.phoneTitle} body={say.phoneBody} action={say.phoneAction} to="/devices" />
        )}
      </SimpleGrid>
      <Glance />
      {may('CAN_GET_HISTORY') && <RecentHistory />}
    </Page>
  )
}
