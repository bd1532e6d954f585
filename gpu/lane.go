package gpu

import "blockfp8/gpu/internal/driver"

// stagingBytes is the size of the pieces in which host calls move data.
const stagingBytes = 16 << 20

// maxLanes bounds the host calls that are on the device at one time.
const maxLanes = 4

// lane is what one host call needs: a stream, and memory on both sides that
// grows to what calls have needed and stays for the next.
type lane struct {
	dev    *Device
	stream *Stream
	host   []byte
	device driver.Ptr
	bytes  int64 // at device
}

// lanes is the pool of a device's lanes. A call that finds none free waits.
type lanes struct {
	dev  *Device
	free chan *lane
}

func (p *lanes) init(dev *Device) {
	p.dev = dev
	p.free = make(chan *lane, maxLanes)
	for range maxLanes {
		p.free <- &lane{dev: dev}
	}
}

// take returns a lane with a stream. The device is entered.
func (p *lanes) take() (*lane, error) {
	l := <-p.free
	if l.stream != nil {
		return l, nil
	}
	h, err := p.dev.drv.NewStream()
	if err != nil {
		p.free <- l
		return nil, err
	}
	l.stream = p.dev.addStream(h, true)
	return l, nil
}

func (p *lanes) put(l *lane) { p.free <- l }

// reserve makes the lane's memory at least that large. Its contents are lost; no
// work may use it.
func (l *lane) reserve(host, device int64) error {
	if int64(len(l.host)) < host {
		if err := l.dev.freeHost(l.host); err != nil {
			return err
		}
		l.host = nil
		b, err := l.dev.allocHost(int(host))
		if err != nil {
			return err
		}
		l.host = b
	}
	if l.bytes < device {
		if err := l.dev.free(l.device); err != nil {
			return err
		}
		l.device, l.bytes = 0, 0
		p, err := l.dev.alloc(device)
		if err != nil {
			return err
		}
		l.device, l.bytes = p, device
	}
	return nil
}
