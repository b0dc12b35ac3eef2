import java.util.ArrayList;
import java.util.List;
import se.sics.mspsim.chip.CC2420;
import se.sics.mspsim.core.IOPort;
import se.sics.mspsim.core.MSP430;
import se.sics.mspsim.core.Memory;
import se.sics.mspsim.core.MemoryMonitor;
import se.sics.mspsim.core.Timer;
import se.sics.mspsim.core.USART;
import se.sics.mspsim.platform.sky.SkyNode;
import se.sics.mspsim.util.ConfigManager;

/**
 * Runs an image on nodes of MSPSim, by its public interface, and prints what their pins and radios do.
 *
 * <pre>java -cp CLASSES:LIBS SkyPins.java IMAGE NODES UNTIL_US [AT_US NODE LINE]...</pre>
 *
 * LINE goes to the console of NODE, a byte every 86.8 us. Prints, separated by tabs: node, cycles of its processor that it was
 * awake, instant in ps, what changed, its level. That is a pin which the chip drives ("P6.0"), the state that the radio enters
 * ("TX_FRAME"), or a byte that the console has sent ("console"). MSPSim has no register of the chip's identity and no medium: the
 * former is set, and a node hears each byte of the other at once and else -100 dBm. With -Dccifg=true a timer's request that
 * software sets (SLAU049F 11.2.6) is taken, which MSPSim leaves out.
 */
public class SkyPins {
    static final double STEP_PS = 500_000; // how far a node may be ahead of another: a byte on the air takes 64 times that
    static final double BYTE_PS = 10e12 / 115_200;
    static final int CCIE_CCIFG = 0x11;
    static final int PORTS = 6;
    static final int QUIET_DBM = -100; // what the medium has to say: below the threshold of CCA
    static final int MANFIDL = 0x233D; // SWRS041, register 0x1E

    record Input(double ps, int value) {}

    static class Node {
        final int number;
        final SkyNode sky = new SkyNode();
        final MSP430 cpu = sky.getCPU();
        final USART console = cpu.getIOUnit(USART.class, "USART1");
        final List<Input> inputs = new ArrayList<>();
        final List<String> changes = new ArrayList<>();
        final int[] levels = new int[PORTS + 1];
        double basePs; // the instant of cycle baseCycle, from which on the processor's clock is baseHz
        long baseCycle;
        int baseHz = cpu.getDCOFrequency();

        Node(int number, String image) throws Exception {
            this.number = number;
            ConfigManager config = new ConfigManager();
            config.setProperty("nogui", "true");
            config.setProperty("cli", "false");
            sky.loadFirmware(image);
            sky.setup(config);
            for (int at = 1; at <= PORTS; at++) {
                int port = at;
                IOPort unit = cpu.getIOUnit(IOPort.class, "P" + port);
                unit.addPortListener((source, data) -> driven(port, unit.getOut() & unit.getDirection()));
            }
            if (Boolean.getBoolean("ccifg")) {
                request(0x0162, "TimerA", 6);
                request(0x0182, "TimerB", 13);
            }
            sky.radio.setRegister(CC2420.REG_MANFIDL, MANFIDL); // it reads 0 there, and the reference firmware looks for a CC2420
            sky.radio.setRSSI(QUIET_DBM);
            console.addUSARTListener((source, value) -> changed("console", value));
            sky.radio.setStateListener(state -> changed(state.name(), 1));
        }

        /** A write that sets CCIFG and CCIE of block 0 asks for the interrupt, as on the chip. */
        void request(int address, String timer, int vector) {
            cpu.addWatchPoint(address, new MemoryMonitor.Adapter() {
                @Override
                public void notifyWriteAfter(int at, int data, Memory.AccessMode mode) {
                    if ((data & CCIE_CCIFG) == CCIE_CCIFG) {
                        cpu.flagInterrupt(vector, cpu.getIOUnit(Timer.class, timer), true);
                    }
                }
            });
        }

        double ps() {
            return basePs + (cpu.cycles - baseCycle) * 1e12 / baseHz;
        }

        void changed(String subject, int level) {
            changes.add(String.format("%.0f\t%s\t%d", ps(), subject, level));
        }

        void driven(int port, int now) {
            for (int bit = 0; bit < 8; bit++) {
                if (((now ^ levels[port]) >> bit & 1) != 0) {
                    changed("P" + port + "." + bit, now >> bit & 1);
                }
            }
            levels[port] = now;
        }

        void runTo(double untilPs) throws Exception {
            while (ps() < untilPs) {
                while (!inputs.isEmpty() && inputs.get(0).ps <= ps()) {
                    console.byteReceived(inputs.remove(0).value);
                }
                cpu.emulateOP(cpu.cycles + (long) Math.ceil((untilPs - ps()) * baseHz / 1e12));
                if (cpu.getDCOFrequency() != baseHz) {
                    basePs = ps();
                    baseCycle = cpu.cycles;
                    baseHz = cpu.getDCOFrequency();
                }
                for (String change : changes) { // only now is the instruction that made it counted
                    System.out.println(number + "\t" + cpu.cpuCycles + "\t" + change);
                }
                changes.clear();
            }
        }
    }

    public static void main(String[] words) throws Exception {
        List<Node> nodes = new ArrayList<>();
        for (int number = 0; number < Integer.parseInt(words[1]); number++) {
            nodes.add(new Node(number, words[0]));
        }
        for (Node from : nodes) {
            for (Node to : nodes) {
                if (to != from) {
                    from.sky.radio.addRFListener(to.sky.radio::receivedByte);
                }
            }
        }
        for (int at = 3; at < words.length; at += 3) {
            double ps = Double.parseDouble(words[at]) * 1e6;
            for (byte value : (words[at + 2] + "\n").getBytes()) {
                nodes.get(Integer.parseInt(words[at + 1])).inputs.add(new Input(ps += BYTE_PS, value));
            }
        }
        double untilPs = Double.parseDouble(words[2]) * 1e6;
        for (double ps = STEP_PS; ps <= untilPs; ps += STEP_PS) {
            for (Node node : nodes) {
                node.runTo(ps);
            }
        }
        System.out.flush();
        System.exit(0);
    }
}
