import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import type { Device } from '../devices/device-state.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { MobileSection } from './mobile-section.tsx'
import { text } from './text.ts'

const isMobile = (device: Device) => device.type === 'MOBILE'

export const SimsPage = () => {
  const say = useText(text)
  const whose = useWhose()
  const { userId = '' } = whose
  const devices = useRead('listUserDevices', { userId }, { when: userId !== '', every: 10_000 })
  return (
    <Page title={say.title} description={say.lead} actions={<UserPicker whose={whose} />}>
      <Loaded query={devices}>
        {({ items }) =>
          items.some(isMobile) ? (
            items.filter(isMobile).map((device) => <MobileSection key={device.id} userId={userId} device={device} />)
          ) : (
            <NoMobile />
          )
        }
      </Loaded>
    </Page>
  )
}

const NoMobile = () => {
  const say = useText(text)
  const toDevices = (
    <Button component={Link} href="/devices">
      {say.toDevices}
    </Button>
  )
  return (
    <Section flush>
      <EmptyState icon="sim" title={say.empty} action={toDevices}>
        {say.emptyBody}
      </EmptyState>
    </Section>
  )
}
