import { SimpleGrid } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { Attention } from './attention.tsx'
import { FirstStep } from './first-step.tsx'
import { Glance } from './glance.tsx'
import { MyDesk } from './my-desk.tsx'
import { RecentHistory } from './recent-history.tsx'
import { text } from './text.ts'

/** Who runs the account sees what needs attention and what can be done first; everybody else their own telephone. */
export const HomePage = () => {
  const say = useText(text)
  const may = useMay()
  const me = useMe()
  const isBuilder = may('CAN_CHANGE_FLOWS')
  return (
    <Page title={me ? say.hello(me.firstname) : say.start} description={isBuilder ? say.lead : say.userLead}>
      <Attention />
      {isBuilder ? <FirstSteps /> : <MyDesk />}
      {isBuilder && <Glance />}
      {may('CAN_GET_HISTORY') && <RecentHistory />}
    </Page>
  )
}

const FirstSteps = () => {
  const say = useText(text)
  const may = useMay()
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
      <FirstStep icon="microphone" title={say.talkTitle} body={say.talkBody} action={say.talkAction} to="/talk" primary />
      <FirstStep icon="code" title={say.codeTitle} body={say.codeBody} action={say.codeAction} to="/flows" command="npx offhook init" />
      {may('CAN_GET_DEVICES') && (
        <FirstStep icon="phone" title={say.phoneTitle} body={say.phoneBody} action={say.phoneAction} to="/devices" />
      )}
    </SimpleGrid>
  )
}
